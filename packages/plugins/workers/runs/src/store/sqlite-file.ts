/** Opens the database file of runs, and brings its tables up to date. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';

/** A value of a column. */
export type Value = string | number | null;

/** A statement that was prepared once. */
export interface Statement<Row> {
  run(...values: Value[]): { readonly changes: number; readonly lastInsertRowid: number };
  all(...values: Value[]): Row[];
  get(...values: Value[]): Row | undefined;
}

/** A database. */
export interface Db {
  exec(sql: string): void;
  prepare<Row>(sql: string): Statement<Row>;
  close(): void;
}

/** How long a writer waits for another. */
const BUSY_MS = 10_000;

/** What makes version N+1 of version N. Only ever added to: an older keeper may still be at work. */
const MIGRATIONS = [
  `
  CREATE TABLE runs (id TEXT PRIMARY KEY, alias TEXT NOT NULL UNIQUE, state TEXT NOT NULL, created TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX runs_by_state ON runs (state, created);
  CREATE INDEX runs_by_time ON runs (created);
  CREATE TABLE sessions (
    run TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL,
    pieces INTEGER NOT NULL DEFAULT 0, stdout INTEGER NOT NULL DEFAULT 0, stderr INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, number)
  ) WITHOUT ROWID;
  -- No foreign key: what a run has written outlives it.
  CREATE TABLE log (
    place INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, session INTEGER NOT NULL, at TEXT NOT NULL,
    sequence INTEGER, stream TEXT, body TEXT NOT NULL
  );
  CREATE INDEX log_by_run ON log (run, place);
  CREATE UNIQUE INDEX log_pieces ON log (run, session, sequence) WHERE sequence IS NOT NULL;
  CREATE TABLE questions (
    run TEXT NOT NULL, session INTEGER NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, body TEXT NOT NULL, answer TEXT,
    PRIMARY KEY (run, session, id)
  ) WITHOUT ROWID;
  CREATE TABLE messages (run TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID;
  CREATE TABLE wishes (run TEXT NOT NULL, wish TEXT NOT NULL, PRIMARY KEY (run, wish)) WITHOUT ROWID;
  `,
];

/** Opens the file, which only the user can read. */
export async function openFile(file: string): Promise<Db> {
  try {
    const { default: Database } = (await import('libsql')) as unknown as {
      default: new (file: string, options: { readonly timeout: number }) => Db;
    };
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Made before SQLite makes it: only the user may read what workers say. SQLite gives its other files the same mode.
    closeSync(openSync(file, 'a', 0o600));
    const db = new Database(file, { timeout: BUSY_MS });
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      useWal(db);
      // With WAL a killed process loses nothing. After a power failure the last moments are read again from the workers' files.
      db.exec('PRAGMA synchronous = NORMAL');
      migrate(db, file);
      return db;
    } catch (fault) {
      db.close();
      throw fault;
    }
  } catch (fault) {
    throw fault instanceof TenonError
      ? fault
      : errors.create('RUNS_STORE', { place: file, reason: messageOf(fault) }, fault);
  }
}

/** Several processes may make the file at once; SQLite does not wait for the switch to WAL by itself. */
function useWal(db: Db): void {
  const deadline = Date.now() + BUSY_MS;
  for (;;) {
    try {
      db.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (fault) {
      if (!/busy|locked/i.test(messageOf(fault)) || Date.now() > deadline) throw fault;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function migrate(db: Db, file: string): void {
  const version = () => db.prepare<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;
  if (version() === MIGRATIONS.length) return;
  inTransaction(db, () => {
    const found = version();
    if (found > MIGRATIONS.length)
      throw errors.create('RUNS_STORE_NEWER', { place: file, found, known: MIGRATIONS.length });
    for (const sql of MIGRATIONS.slice(found)) db.exec(sql);
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

/** All of `work` or nothing; other writers wait from its beginning. */
export function inTransaction<T>(db: Db, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (fault) {
    db.exec('ROLLBACK');
    throw fault;
  }
}
