/** Which session is meant, and what a listing says about it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../src/api.ts';
import { FileSessionStore } from '../src/store.ts';

let home: string;
let store: FileSessionStore;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tenon-finding-'));
  store = new FileSessionStore({
    dataFolder: join(home, 'data'),
    stateFolder: home,
    fsync: 'never',
    persist: async (_, entry) => entry,
  });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const say = (session: Session, content: string) =>
  session.append('message', { message: { role: 'user', content, timestamp: 1 } });

describe('an id', () => {
  it.each(['', ' ', '\t\n'])('that is empty (%j) means no session, not the only one', async (id) => {
    const session = await store.create({ cwd: '/w' });
    await say(session, 'precious');
    await session.close();
    const refused = { code: 'SESSION_ID_EMPTY', next: expect.stringContaining('session list') };
    await expect(store.open(id)).rejects.toMatchObject(refused);
    await expect(store.openOrCreate(id, { cwd: home })).rejects.toMatchObject(refused);
    await expect(store.remove(id)).rejects.toMatchObject(refused);
    expect(await store.list()).toHaveLength(1);
  });
});

describe('a file', () => {
  it('that is not there, or holds nothing, gets a session when something is said', async () => {
    for (const [name, prepare] of [
      ['new.jsonl', () => undefined],
      ['empty.jsonl', () => writeFileSync(join(home, 'empty.jsonl'), '')],
    ] as const) {
      prepare();
      const session = await store.openOrCreate(`./${name}`, { cwd: home });
      expect(session.file).toBe(join(home, name));
      await say(session, 'first words');
      await session.close();
      const again = await store.openOrCreate(name, { cwd: home });
      expect(again.context().messages).toMatchObject([{ content: 'first words' }]);
      expect(again.header).toMatchObject({ cwd: home, id: session.id });
      await again.close();
    }
  });

  it('is not made when nothing is said, and never in place of something else', async () => {
    await (await store.openOrCreate('./quiet.jsonl', { cwd: home })).close();
    expect(existsSync(join(home, 'quiet.jsonl'))).toBe(false);
    writeFileSync(join(home, 'notes.jsonl'), 'no session\n');
    mkdirSync(join(home, 'folder.jsonl'));
    for (const name of ['notes.jsonl', 'folder.jsonl'])
      await expect(store.openOrCreate(name, { cwd: home })).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' });
    expect(readFileSync(join(home, 'notes.jsonl'), 'utf8')).toBe('no session\n');
  });

  it('needs the ending of a session file, and its folder', async () => {
    await expect(store.openOrCreate('./notes', { cwd: home })).rejects.toMatchObject({
      code: 'SESSION_FILE_NAME',
      next: expect.stringContaining('./notes.jsonl'),
    });
    await expect(store.openOrCreate('no/such/x.jsonl', { cwd: home })).rejects.toMatchObject({
      code: 'SESSION_NO_FOLDER',
    });
    await expect(store.openOrCreate('abcdef', { cwd: home })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('that is empty is no session to look at', async () => {
    writeFileSync(join(home, 'empty.jsonl'), '');
    const file = join(home, 'empty.jsonl');
    await expect(store.open(file, { readOnly: true })).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' });
  });
});

describe('a listing', () => {
  const handover = (document: string) => ({
    customType: 'handoff',
    content: `<handoff-context>\n${document}\n</handoff-context>\n\nGo on.`,
    display: true,
  });
  const firstPrompt = async (session: Session) => {
    await session.close();
    return (await store.list({ cwd: '/w' })).find(({ id }) => id === session.id)?.firstPrompt;
  };

  it('shows what a session was handed over with as long as the user has said nothing', async () => {
    const session = await store.create({ cwd: '/w' });
    await session.append('custom_message', handover('## Goal\n\nBuild the "boat".\n\n## State\n\nNothing.'));
    expect(await firstPrompt(session)).toBe('Build the "boat".');
    const again = await store.open(session.id);
    await say(again, 'hurry');
    expect(await firstPrompt(again)).toBe('hurry');
    const bare = await store.create({ cwd: '/w' });
    await bare.append('custom_message', handover('# Only a heading'));
    expect(await firstPrompt(bare)).toBe('Only a heading');
  });

  it('reads as much of a long line as there is, wherever it was cut', async () => {
    for (let shift = 0; shift < 8; shift++) {
      const session = await store.create({ cwd: '/w' });
      await say(session, `${'x'.repeat(shift)}${'C:\\abc\u0001"'.repeat(2_000)}`);
      expect(await firstPrompt(session)).toMatch(/^x*C:\\abc\u0001"C:/);
    }
    const session = await store.create({ cwd: '/w' });
    await session.append('custom_message', handover(`## Goal\n\nBuild it.\n${'more\n'.repeat(5_000)}`));
    expect(await firstPrompt(session)).toBe('Build it.');
  });

  it('shows no reference in place of a very long prompt', async () => {
    const session = await store.create({ cwd: '/w' });
    await say(session, 'word '.repeat(120_000));
    expect(await firstPrompt(session)).toBe('(a very long text)');
  });
});
