/** Opens the database file of runs. */
import { messageOf, TenonError } from '@tenon/kernel';
import { type Database, openDatabase } from '@tenon/state-files';
import { errors } from '../errors.ts';

/** See `DatabaseForm.migrations`. */
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

/** Opens the file, which only the user can read. What a power failure takes is read again from the workers' files. */
export async function openFile(file: string): Promise<Database> {
  try {
    return await openDatabase(file, {
      migrations: MIGRATIONS,
      newer: (found, known) => errors.create('RUNS_STORE_NEWER', { place: file, found, known }),
    });
  } catch (fault) {
    throw fault instanceof TenonError
      ? fault
      : errors.create('RUNS_STORE', { place: file, reason: messageOf(fault) }, fault);
  }
}
