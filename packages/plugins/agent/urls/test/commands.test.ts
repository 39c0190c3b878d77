import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMachine } from './machine.ts';

let machine: Awaited<ReturnType<typeof openMachine>>;
beforeAll(async () => void (machine = await openMachine()));
afterAll(() => machine.dispose());

/** Runs a command and gives what it wrote. */
const run = (words: string, url?: string, flags: Record<string, string | boolean> = {}) =>
  runCommand(machine.kernel, words, { args: { url }, flags, cwd: machine.cwd });

describe('tenon url', () => {
  it('lists schemes for people and for programs', async () => {
    expect((await run('url list')).out).toMatch(/^local:\/\/ +read, write +Scratch files/m);
    expect((await run('url list', undefined, { json: true })).json).toContainEqual(
      expect.objectContaining({ scheme: 'docs' }),
    );
  });

  it('writes from a flag or a file, and reads back', async () => {
    expect((await run('url write', 'local://a.txt', { text: 'one' })).err).toBe('Wrote 3 bytes to local://a.txt.\n');
    expect((await run('url read', 'local://a.txt')).out).toBe('one\n');
    writeFileSync(join(machine.cwd, 'in.txt'), 'two\n');
    expect((await run('url write', 'local://a.txt', { from: 'in.txt', json: true })).json).toMatchObject({
      bytes: 4,
      file: expect.stringMatching(/a\.txt$/),
    });
    expect((await run('url read', 'local://a.txt', { json: true })).json).toMatchObject({
      content: 'two\n',
      contentType: 'text/plain',
    });
    await expect(run('url write', 'local://a.txt', { from: 'missing.txt' })).rejects.toMatchObject({
      code: 'URLS_INPUT',
    });
  });

  it('means the session that is named, by id, by its start, or the last one', async () => {
    const session = await machine.store.create({ cwd: machine.cwd });
    await session.append('message', { message: { role: 'user', content: 'hello', timestamp: 1 } } as never);
    await session.putArtifact('bash', 'of the session');
    for (const named of [session.id, session.id.slice(0, 8), 'last']) {
      expect((await run('url read', 'artifact://0', { session: named })).out).toBe('of the session\n');
    }
    await expect(run('url read', 'artifact://0', { session: 'nobody' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await expect(run('url read', 'artifact://0')).rejects.toMatchObject({ code: 'URLS_NOT_FOUND' });
    await session.close();
  });

  it('does not let content control a terminal', async () => {
    await run('url write', 'local://b.txt', { text: 'a\u001b[31mb' });
    expect((await run('url read', 'local://b.txt')).out).not.toContain('\u001b');
  });
});
