/** Small SQLite databases that several processes share: private files, write-ahead log, tables brought up to date. */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';
import { makeFoldersSync } from './make-folders.ts';

/** A value of a column. No bytes: the driver ends the process when it is given some. */
export type ColumnValue = string | number | null;

/** A statement that was prepared once. */
export interface Statement<Row> {
  run(...values: ColumnValue[]): { readonly changes: number; readonly lastInsertRowid: number };
  all(...values: ColumnValue[]): Row[];
  get(...values: ColumnValue[]): Row | undefined;
}

/** An open database. */
export interface Database {
  readonly inTransaction: boolean;
  exec(sql: string): void;
  prepare<Row>(sql: string): Statement<Row>;
  close(): void;
}

/** What a database holds. */
export interface DatabaseForm {
  /** What makes version N+1 of version N. Only ever added to: an older process may still be at work. */
  readonly migrations: readonly string[];
  /** Further settings of a connection, without the word PRAGMA. */
  readonly pragmas?: readonly string[];
  /** A better error for a file of a newer Tenon. */
  newer?(found: number, known: number): Error;
}

/** How long a writer waits for another. */
const BUSY_MS = 10_000;

/** Opens the file, which only the user can read, and brings its tables up to date. */
export async function openDatabase(file: string, form: DatabaseForm): Promise<Database> {
  const { default: Driver } = (await import('libsql')) as unknown as {
    default: new (file: string, options: { readonly timeout: number }) => Database;
  };
  makeFoldersSync(dirname(file), 0o700);
  // Made before SQLite makes it, so that nobody else can read it. SQLite gives its other files the same mode.
  closeSync(openSync(file, 'a', 0o600));
  const db = new Driver(file, { timeout: BUSY_MS });
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    useWal(db);
    // With WAL a killed process loses nothing; a power failure may take the last moments.
    for (const pragma of ['synchronous = NORMAL', ...(form.pragmas ?? [])]) db.exec(`PRAGMA ${pragma}`);
    migrate(db, file, form);
    return db;
  } catch (fault) {
    db.close();
    throw fault;
  }
}

/** Several processes may make the file at once; SQLite does not wait for the switch to WAL by itself. */
function useWal(db: Database): void {
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

function migrate(db: Database, file: string, { migrations, newer }: DatabaseForm): void {
  const known = migrations.length;
  const version = () => db.prepare<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;
  if (version() === known) return;
  inTransaction(db, () => {
    const found = version();
    if (found > known) throw newer?.(found, known) ?? errors.create('STATE_DATABASE_NEWER', { file, found, known });
    for (const sql of migrations.slice(found)) db.exec(sql);
    db.exec(`PRAGMA user_version = ${known}`);
  });
}

/** All of `work` or nothing; other writers wait from its beginning. */
export function inTransaction<T>(db: Database, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (fault) {
    // On a full disk SQLite has rolled back by itself; a second time would only hide the reason.
    if (db.inTransaction) db.exec('ROLLBACK');
    throw fault;
  }
}
