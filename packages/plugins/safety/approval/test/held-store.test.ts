import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, type LogRecord } from '@tenon/log';
import { buildProgram } from '@tenon/test-kit/built-program';
import { ended } from '@tenon/test-kit/program';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { expect, it } from 'vitest';
import { HeldStore } from '../src/held/store.ts';

it('looks again for an answer that cannot be read, instead of taking the call for removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-held-'));
  const records: LogRecord[] = [];
  const log = createLogger({ owner: 'approval', sink: (record) => void records.push(record) });
  const store = new HeldStore(folder, { keepHours: 1, log });
  const stop = new AbortController();
  try {
    const held = await store.hold({ tool: 'bash' } as never);
    const file = join(folder, `${held.id}.json`);
    unlinkSync(file);
    mkdirSync(file); // reading a folder fails, whoever reads it
    const answered = store.answered(held.id, stop.signal);
    const first = await Promise.race([answered, new Promise((done) => setTimeout(done, 100, 'still waiting'))]);
    expect(first).toBe('still waiting');
    expect(records[0]).toMatchObject({ level: 'warn', fields: { id: held.id } });
    rmSync(file, { recursive: true });
    expect(await answered).toBeUndefined(); // now it really is removed
  } finally {
    stop.abort();
    rmSync(folder, { recursive: true });
  }
});

it('keeps damaged grants of a session beside, and says so, instead of overwriting them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-held-'));
  const warnings: string[] = [];
  const log = createLogger({ owner: 'approval', sink: ({ message }) => void warnings.push(message) });
  const store = new HeldStore(folder, { keepHours: 1, log });
  const rule = (tool: string) => ({ tool, decision: 'allow' }) as never;
  await Promise.all(['a', 'b', 'c'].map((tool) => store.grantSession('s', [rule(tool)])));
  expect(await store.sessionRules('s')).toHaveLength(3);
  const sessions = join(folder, 'sessions');
  const [name = ''] = readdirSync(sessions);
  writeFileSync(join(sessions, name), '{ "version": 1, "ru');
  expect(await store.sessionRules('s')).toEqual([]);
  await store.grantSession('s', [rule('d')]);
  expect(await store.sessionRules('s')).toEqual([rule('d')]);
  const kept = readdirSync(sessions).filter((file) => file.includes('.damaged-'));
  expect(kept.map((file) => readFileSync(join(sessions, file), 'utf8'))).toEqual(['{ "version": 1, "ru']);
  expect(warnings.at(-1)).toContain(`It is kept as ${join(sessions, kept[0] ?? '')}`);
  rmSync(folder, { recursive: true });
});

it('hears of answers where the system lets nothing more be watched', async () => {
  const folder = temporaryFolder('held');
  const program = await buildProgram(join(import.meta.dirname, 'held-watcher.ts'));
  const child = spawn('sh', ['-c', 'ulimit -n 100 && exec "$@"', 'sh', process.execPath, program, folder]);
  const end = ended(child);
  const said = new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
  const id = await Promise.race([said, end.then(({ err }) => Promise.reject(new Error(err)))]);
  const log = createLogger({ owner: 'approval', sink: () => undefined });
  const store = new HeldStore(folder, { keepHours: 1, log });
  await store.answer(await store.get(id), { state: 'allowed' });
  expect(await end).toEqual({ code: 0, out: `${id}\nallowed\n`, err: '' });
});
