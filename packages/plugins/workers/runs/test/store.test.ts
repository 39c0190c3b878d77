/** The SQLite store: the contract of all stores, and what holds for its file alone. */
import { spawn } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import { temporaryFolder, later } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openFile } from '../src/store/sqlite-file.ts';
import { sqliteStore, STORE_FILE } from '../src/store/sqlite-store.ts';
import type { Intake } from '../src/store/run-store.ts';
import { sampleRun, sampleSession, storeContract } from '@tenon/test-kit/run-store-contract';

async function open(folder: string) {
  const store = await sqliteStore.open({ folder });
  later(() => store.close());
  return store;
}

describe('the SQLite store', () => {
  test.each(Object.entries(storeContract))('%s', async (_, holds) => {
    const folder = temporaryFolder('store');
    await holds(() => open(folder));
  });

  test('can be read by its owner alone, its journal too', async () => {
    const folder = temporaryFolder('store');
    await (await open(folder)).add(sampleRun('a'));
    for (const name of [STORE_FILE, `${STORE_FILE}-wal`])
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
  });

  test('refuses the file of a newer Tenon and says so', async () => {
    const folder = temporaryFolder('store');
    const db = await openFile(join(folder, STORE_FILE));
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(open(folder)).rejects.toMatchObject({ code: 'RUNS_STORE_NEWER' });
  });

  test('says what to do about a file that is no database', async () => {
    const folder = temporaryFolder('store');
    writeFileSync(join(folder, STORE_FILE), 'this is no database, but it is long enough to be looked at\n'.repeat(100));
    await expect(open(folder)).rejects.toMatchObject({ code: 'RUNS_STORE' });
  });

  test('is made by several processes at once, and loses no change of any', async () => {
    const folder = temporaryFolder('store');
    const script = `
      import Database from 'libsql';
      const db = new Database(process.argv[1], { timeout: 10000 });
      db.exec('PRAGMA busy_timeout = 10000');
      for (let i = 0; i < 20; i++) {
        db.exec('BEGIN IMMEDIATE');
        db.prepare('INSERT INTO messages (run, number, text, state) VALUES (?, ?, ?, ?)').run('a', Number(process.argv[2]) * 1000 + i, 'x', 'queued');
        db.exec('COMMIT');
      }`;
    const opened = await Promise.all([1, 2, 3].map(() => open(folder)));
    const writers = [1, 2, 3].map(
      (number) =>
        new Promise((resolve) => {
          const words = ['--input-type=module', '-e', script, join(folder, STORE_FILE), String(number)];
          spawn(process.execPath, words, { stdio: 'inherit', cwd: import.meta.dirname }).on('exit', resolve);
        }),
    );
    for (let i = 0; i < 20; i++) await opened[i % 3]?.addMessage('b', String(i));
    expect(await Promise.all(writers)).toEqual([0, 0, 0]);
    expect((await opened[0]?.messages('a'))?.length).toBe(60);
    expect((await opened[1]?.messages('b'))?.map(({ text }) => Number(text))).toEqual([...Array(20).keys()]);
  });
});

test('property: whatever two readers of one output try in whichever order, every byte is stored once and in order', async () => {
  const source = 'abcdefghijklmnopqrstuvwxyz';
  const folder = temporaryFolder('store');
  const stores = [await open(folder), await open(folder)];
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ reader: fc.nat(1), length: fc.integer({ min: 1, max: 5 }), forgets: fc.boolean() }), {
        maxLength: 30,
      }),
      async (steps) => {
        const id = `r${count++}`;
        await stores[0]?.add(sampleRun(id));
        await stores[0]?.change(id, { run: { session: 1 }, begin: sampleSession(id, 1) });
        // Each believes that it is alone, until the store refuses; `forgets`: it was killed after it had stored.
        const at = [0, 0];
        for (const { reader, length, forgets } of steps) {
          const [store, from] = [stores[reader], at[reader] ?? 0];
          const to = Math.min(source.length, from + length);
          const intake: Intake = {
            run: id,
            session: 1,
            outputs: [{ stream: 'stdout', text: source.slice(from, to) }],
            events: [],
            from: { stdout: from, stderr: 0 },
            offsets: { stdout: to, stderr: 0 },
          };
          const [taken] = (await store?.take([intake])) ?? [];
          if (taken === undefined) at[reader] = (await store?.sessions(id))?.[0]?.offsets.stdout ?? 0;
          else if (!forgets) at[reader] = to;
        }
        const stored = (await stores[0]?.outputs(id, { session: 0, sequence: 0 }, 100)) ?? [];
        const reached = (await stores[1]?.sessions(id))?.[0]?.offsets.stdout ?? 0;
        expect(stored.map(({ text }) => text).join('')).toBe(source.slice(0, reached));
        expect(stored.map(({ sequence }) => sequence)).toEqual(stored.map((_, index) => index + 1));
      },
    ),
    { numRuns: caseCount(60) },
  );
});
