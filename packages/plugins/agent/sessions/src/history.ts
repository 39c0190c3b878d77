/**
 * Prompts that the user typed, in SQLite with full-text search. New ones wait in a file beside it until somebody reads: a program that
 * answers one prompt need not load a database for a line.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Database, inTransaction, makeFoldersSync, openDatabase } from '@tenon/state-files';
import type { PromptHistory, RememberedPrompt } from './api.ts';

interface Row {
  readonly prompt: string;
  readonly cwd: string;
  readonly created_at: number;
}

/** Files from before versions were counted have these tables, too. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS history (id INTEGER PRIMARY KEY, prompt TEXT NOT NULL, created_at INTEGER NOT NULL, cwd TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS history_by_cwd ON history (cwd, id);
  CREATE VIRTUAL TABLE IF NOT EXISTS history_fts USING fts5(prompt, content='history', content_rowid='id');
  CREATE TRIGGER IF NOT EXISTS history_added AFTER INSERT ON history BEGIN
    INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
  END;
  CREATE TRIGGER IF NOT EXISTS history_removed AFTER DELETE ON history BEGIN
    INSERT INTO history_fts(history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt);
  END;
`;

/** From this size on the waiting file is taken in with the next prompt. */
const MOST_WAITING_BYTES = 256 * 1024;

/** What the history does with a prompt before it is written. */
export interface HistoryOptions {
  /** False: nothing is written. What was written before can still be read. */
  readonly enabled: boolean;
  /** Takes secrets out. */
  mask(prompt: string): Promise<string>;
}

/** A prompt history in a database file, opened when it is first used. */
export class SqliteHistory implements PromptHistory {
  readonly #file: string;
  readonly #options: HistoryOptions;
  #db: Promise<Database> | undefined;

  constructor(file: string, options: HistoryOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** One line of JSON per prompt. */
  get #waiting(): string {
    return `${this.#file}.new`;
  }

  #open(): Promise<Database> {
    return (this.#db ??= (async () => {
      const db = await openDatabase(this.#file, { migrations: [TABLES] });
      try {
        takeIn(db, this.#waiting);
      } catch (fault) {
        db.close();
        throw fault;
      }
      return db;
    })());
  }

  async add(prompt: string, cwd: string): Promise<void> {
    if (!this.#options.enabled || prompt.trim() === '') return;
    const masked = await this.#options.mask(prompt);
    const row: Row = { prompt: masked, cwd, created_at: Date.now() };
    const waiting = this.#db ? Infinity : (statSync(this.#waiting, { throwIfNoEntry: false })?.size ?? 0);
    if (waiting > MOST_WAITING_BYTES) {
      const db = await this.#open();
      takeIn(db, this.#waiting);
      return insert(db, row);
    }
    makeFoldersSync(dirname(this.#file), 0o700);
    // One write, so that several processes can share the file.
    appendFileSync(this.#waiting, `${JSON.stringify(row)}\n`, { mode: 0o600 });
  }

  async recent(limit: number, cwd?: string): Promise<readonly string[]> {
    return (await this.search('', limit, cwd)).map(({ prompt }) => prompt);
  }

  async search(words: string, limit: number, cwd?: string): Promise<readonly RememberedPrompt[]> {
    const query = matching(words);
    const conditions = [
      ...(query === '' ? [] : ['id IN (SELECT rowid FROM history_fts WHERE history_fts MATCH ?)']),
      ...(cwd === undefined ? [] : ['cwd = ?']),
    ];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const values = [...(query === '' ? [] : [query]), ...(cwd === undefined ? [] : [cwd]), limit];
    const db = await this.#open();
    takeIn(db, this.#waiting);
    return db
      .prepare<Row>(`SELECT prompt, cwd, created_at FROM history ${where} ORDER BY id DESC LIMIT ?`)
      .all(...values)
      .map(({ prompt, cwd: folder, created_at }) => ({ prompt, cwd: folder, at: new Date(created_at).toISOString() }));
  }

  async clear(): Promise<number> {
    const db = await this.#open();
    takeIn(db, this.#waiting);
    const { changes } = db.prepare('DELETE FROM history').run();
    // What was removed must not stay readable: not in the index, not in free pages of the file, not in its journal.
    db.exec("INSERT INTO history_fts(history_fts) VALUES ('rebuild')");
    db.exec('VACUUM');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return changes;
  }

  async close(): Promise<void> {
    const opened = this.#db;
    this.#db = undefined;
    // One that could not be opened (a full disk) has told whoever used it.
    (await opened?.catch(() => undefined))?.close();
  }
}

/** Adds a prompt, unless it is the one before once more. */
function insert(db: Database, { prompt, created_at, cwd }: Row): void {
  const last = db.prepare<Row>('SELECT prompt, cwd, created_at FROM history ORDER BY id DESC LIMIT 1').get();
  if (last?.prompt === prompt) return;
  db.prepare('INSERT INTO history (prompt, created_at, cwd) VALUES (?, ?, ?)').run(prompt, created_at, cwd);
}

/** Takes in the prompts that wait. Whoever holds the database does it; the others find nothing. */
function takeIn(db: Database, waiting: string): void {
  const taken = `${waiting}.taken`;
  if (!existsSync(waiting) && !existsSync(taken)) return;
  inTransaction(db, () => {
    // One that was taken by a process that then was killed, and the one that is there.
    for (const file of [taken, waiting]) {
      if (!existsSync(file)) continue;
      // Under another name nobody adds to it any more.
      if (file === waiting) renameSync(waiting, taken);
      for (const line of readFileSync(taken, 'utf8').split('\n')) {
        const row = rowIn(line);
        if (row) insert(db, row);
      }
      rmSync(taken);
    }
  });
}

/** Nothing for a line that a full disk has cut short. */
function rowIn(line: string): Row | undefined {
  try {
    const { prompt, cwd, created_at } = JSON.parse(line) as Partial<Row>;
    const isWhole = typeof prompt === 'string' && typeof cwd === 'string' && typeof created_at === 'number';
    return isWhole ? { prompt, cwd, created_at } : undefined;
  } catch {
    return undefined; // The last line ends with a newline, too.
  }
}

/** Each word is a quoted prefix, so that nothing the user types is taken for query syntax. */
function matching(words: string): string {
  return words
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => `"${word.replaceAll('"', '""')}"*`)
    .join(' ');
}
