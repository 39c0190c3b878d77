/** Opens the database file of a bank. */
import { messageOf, TenonError } from '@tenon/kernel';
import { type Database, openDatabase } from '@tenon/state-files';
import { errors } from '../errors.ts';

/** See `DatabaseForm.migrations`. */
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
export async function openBankFile(file: string): Promise<Database> {
  try {
    return await openDatabase(file, {
      migrations: MIGRATIONS,
      // What is forgotten must not stay readable in free pages.
      pragmas: ['foreign_keys = ON', 'secure_delete = ON'],
      newer: (found, known) => errors.create('MEMORY_STORE_NEWER', { file, found, known }),
    });
  } catch (fault) {
    throw storeFault(fault, file);
  }
}

/** The fault as one of the catalogue. */
export function storeFault(fault: unknown, file: string): TenonError {
  return fault instanceof TenonError ? fault : errors.create('MEMORY_STORE', { file, reason: messageOf(fault) }, fault);
}
