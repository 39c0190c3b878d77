/** A session whose images or long texts are gone from the store of blobs. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSessionStore } from '../src/store.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'tenon-missing-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const store = () =>
  new FileSessionStore({ dataFolder: home, stateFolder: home, fsync: 'never', persist: async (_, entry) => entry });
const image = { type: 'image' as const, data: Buffer.alloc(3_000, 7).toString('base64'), mimeType: 'image/png' };
const LONG = 'word '.repeat(120_000);

/** A session with a long text, an image and a file that is an image. */
async function written() {
  const session = await store().create({ cwd: '/w' });
  const timestamp = 1;
  const entry = await session.append('message', { message: { role: 'user', content: LONG, timestamp } });
  const content = [{ type: 'text' as const, text: 'look' }, image];
  await session.append('message', { message: { role: 'user', content, timestamp } });
  const files = [{ path: 'shot.png', content: '', image }];
  await session.append('message', { message: { role: 'fileMention', files, timestamp } });
  await session.close();
  return { file: session.file ?? '', entry };
}

const lose = () => rmSync(join(home, 'blobs'), { recursive: true });

describe('content whose file is gone', () => {
  it('is named in its place, and no reference is taken for what somebody said', async () => {
    const { file } = await written();
    lose();
    const session = await store().open(file);
    const [text, picture, mention] = session.context().messages;
    expect(text).toMatchObject({ role: 'user', content: expect.stringMatching(/^\[A text .* is missing/) });
    expect(picture).toMatchObject({
      content: [{ text: 'look' }, { type: 'text', text: expect.stringMatching(/^\[An image/) }],
    });
    expect(mention).toMatchObject({ files: [{ path: 'shot.png', image: { type: 'text' } }] });
    expect(JSON.stringify(session.context())).not.toContain('blob:sha256');
    await session.close();
  });

  it('is a repair note once it was read, with its entry and the folder', async () => {
    const { file, entry } = await written();
    lose();
    const session = await store().open(file, { readOnly: true });
    expect(session.repairs).toEqual([]);
    session.context();
    session.context();
    expect(session.repairs).toEqual([
      expect.stringContaining(`2 texts or images are gone from ${join(home, 'blobs')}`),
    ]);
    expect(session.repairs[0]).toContain(entry);
    await session.close();
  });

  it('comes back when its file does: nothing was written in its place', async () => {
    const { file } = await written();
    const other = store();
    lose();
    const damaged = await other.open(file);
    damaged.context();
    await damaged.close();
    // The same content, written by another session, brings the same files.
    await written();
    const session = await store().open(file);
    expect(session.context().messages).toMatchObject([
      { content: LONG },
      { content: [{}, image] },
      { files: [{ image }] },
    ]);
    expect(session.repairs).toEqual([]);
    await session.close();
  });

  it('costs a sound session no note', async () => {
    const { file } = await written();
    const session = await store().open(file);
    session.context();
    expect(session.repairs).toEqual([]);
    expect(readdirSync(join(home, 'blobs'))).toHaveLength(2);
    await session.close();
  });

  it('an object that is called an image and has no data stays as it is', async () => {
    const session = await store().create({ cwd: '/w' });
    const data = { type: 'image', url: 'https://example.org/x.png' };
    await session.append('message', { message: { role: 'user', content: 'hi', timestamp: 1 } });
    await session.append('custom', { customType: 'x', data });
    await session.close();
    const again = await store().open(session.file ?? '');
    expect([...again.entries()].at(-1)).toMatchObject({ data });
    await again.close();
  });
});
