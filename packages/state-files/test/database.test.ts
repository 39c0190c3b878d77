import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inTransaction, openDatabase } from '../src/index.ts';
import { buildChild, start } from './support/processes.ts';

const ONE = 'CREATE TABLE words (word TEXT NOT NULL UNIQUE)';
const TWO = 'ALTER TABLE words ADD COLUMN length INTEGER';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tenon-database-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const file = () => join(folder, 'deep', 'x.db');

it('makes folders and a file that only the user can read, its journal too', async () => {
  const db = await openDatabase(file(), { migrations: [ONE] });
  db.prepare('INSERT INTO words (word) VALUES (?)').run('one');
  for (const name of [file(), `${file()}-wal`, join(folder, 'deep')]) expect(statSync(name).mode & 0o077).toBe(0);
  db.close();
});

it('brings an older file up to date and keeps what is in it', async () => {
  const old = await openDatabase(file(), { migrations: [ONE] });
  old.prepare('INSERT INTO words (word) VALUES (?)').run('one');
  old.close();
  const db = await openDatabase(file(), { migrations: [ONE, TWO] });
  expect(db.prepare('SELECT word, length FROM words').all()).toEqual([{ word: 'one', length: null }]);
  db.close();
});

it('refuses the file of a newer Tenon, in the words of its owner where they have some', async () => {
  (await openDatabase(file(), { migrations: [ONE, TWO] })).close();
  await expect(openDatabase(file(), { migrations: [ONE] })).rejects.toMatchObject({ code: 'STATE_DATABASE_NEWER' });
  const newer = (found: number, known: number) => new Error(`${found} is more than ${known}`);
  await expect(openDatabase(file(), { migrations: [ONE], newer })).rejects.toThrow('2 is more than 1');
});

it('leaves nothing of work that fails in the middle', async () => {
  const db = await openDatabase(file(), { migrations: [ONE] });
  const add = () => db.prepare('INSERT INTO words (word) VALUES (?)').run('one');
  expect(() => inTransaction(db, () => [add(), add()])).toThrow(/UNIQUE/);
  expect(db.prepare('SELECT * FROM words').all()).toEqual([]);
  db.close();
});

it('says why work failed where SQLite has taken it back by itself, as on a full disk', async () => {
  const db = await openDatabase(file(), { migrations: [ONE] });
  db.exec("CREATE TRIGGER full BEFORE INSERT ON words BEGIN SELECT RAISE(ROLLBACK, 'no room'); END");
  const add = () => db.prepare('INSERT INTO words (word) VALUES (?)').run('one');
  expect(() => inTransaction(db, add)).toThrow('no room');
  expect(db.inTransaction).toBe(false);
  db.close();
});

it('is made by several processes at once, and no change of any is lost', async () => {
  const child = await buildChild(join(folder, 'program'));
  const ends = await Promise.all(Array.from({ length: 6 }, () => start(child, ['count', file(), '10']).ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  const db = await openDatabase(file(), { migrations: ['CREATE TABLE counts (n INTEGER PRIMARY KEY)'] });
  expect(db.prepare('SELECT count(*) AS rows, max(n) AS last FROM counts').get()).toMatchObject({ rows: 60, last: 60 });
  db.close();
});
