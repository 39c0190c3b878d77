/** Opens the database file of a bank, and brings its tables up to date. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';

/** A value of a column. No bytes: the driver ends the process when it is given some. */
export type Value = string | number | null;

/** A statement that was prepared once. */
export interface Statement<Row> {
  run(...values: Value[]): { readonly changes: number };
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

/** What makes version N+1 of version N. Only ever added to. */
const MIGRATIONS = [
  `
  CREATE TABLE facts (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, normalized TEXT NOT NULL UNIQUE, source TEXT NOT NULL,
    created INTEGER NOT NULL, updated INTEGER NOT NULL, uses INTEGER NOT NULL DEFAULT 0, used INTEGER NOT NULL DEFAULT 0,
    said INTEGER NOT NULL DEFAULT 1, bytes INTEGER NOT NULL
  );
  CREATE INDEX facts_by_time ON facts (updated);
  CREATE TABLE mentions (
    fact INTEGER NOT NULL REFERENCES facts (n) ON DELETE CASCADE, at INTEGER NOT NULL, source TEXT NOT NULL, session TEXT, entry TEXT, context TEXT
  );
  CREATE INDEX mentions_by_fact ON mentions (fact, at);
  CREATE TABLE vectors (fact INTEGER NOT NULL REFERENCES facts (n) ON DELETE CASCADE, embedder TEXT NOT NULL, vector TEXT NOT NULL, PRIMARY KEY (fact, embedder)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE terms USING fts5 (words, tokenize = 'unicode61 remove_diacritics 2');
  INSERT INTO terms (terms, rank) VALUES ('secure-delete', 1);
  `,
];

/** Opens the file, which only the user can read. */
export async function openBankFile(file: string): Promise<Db> {
  try {
    const { default: Database } = (await import('libsql')) as unknown as {
      default: new (file: string, options: { readonly timeout: number }) => Db;
    };
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Made before SQLite makes it: only the user may read what is remembered. SQLite gives its other files the same mode.
    closeSync(openSync(file, 'a', 0o600));
    const db = new Database(file, { timeout: BUSY_MS });
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      useWal(db);
      db.exec('PRAGMA synchronous = NORMAL');
      db.exec('PRAGMA foreign_keys = ON');
      // What is forgotten must not stay readable in free pages.
      db.exec('PRAGMA secure_delete = ON');
      migrate(db, file);
      return db;
    } catch (fault) {
      db.close();
      throw fault;
    }
  } catch (fault) {
    throw storeFault(fault, file);
  }
}

/** The fault as one of the catalogue. */
export function storeFault(fault: unknown, file: string): TenonError {
  return fault instanceof TenonError ? fault : errors.create('MEMORY_STORE', { file, reason: messageOf(fault) }, fault);
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
    if (found > MIGRATIONS.length) throw errors.create('MEMORY_STORE_NEWER', { file, found, known: MIGRATIONS.length });
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
