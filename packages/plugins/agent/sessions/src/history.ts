/** Prompts that the user typed, in SQLite with full-text search. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PromptHistory, RememberedPrompt } from './api.ts';

interface Row {
  readonly prompt: string;
  readonly cwd: string;
  readonly created_at: number;
}

interface Db {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: unknown[]): { readonly changes: number };
    all(...values: unknown[]): Row[];
    get(...values: unknown[]): Row | undefined;
  };
  close(): void;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA busy_timeout = 5000;
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
  #db: Promise<Db> | undefined;

  constructor(file: string, options: HistoryOptions) {
    this.#file = file;
    this.#options = options;
  }

  #open(): Promise<Db> {
    return (this.#db ??= (async () => {
      const { default: Database } = (await import('libsql')) as unknown as { default: new (file: string) => Db };
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      // Made before SQLite makes it: only the user may read what the user typed.
      closeSync(openSync(this.#file, 'a', 0o600));
      const db = new Database(this.#file);
      try {
        db.exec(SCHEMA);
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
    const db = await this.#open();
    const last = db.prepare('SELECT prompt, cwd, created_at FROM history ORDER BY id DESC LIMIT 1').get();
    if (last?.prompt === masked) return;
    db.prepare('INSERT INTO history (prompt, created_at, cwd) VALUES (?, ?, ?)').run(masked, Date.now(), cwd);
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
    return db
      .prepare(`SELECT prompt, cwd, created_at FROM history ${where} ORDER BY id DESC LIMIT ?`)
      .all(...values)
      .map(({ prompt, cwd: folder, created_at }) => ({ prompt, cwd: folder, at: new Date(created_at).toISOString() }));
  }

  async clear(): Promise<number> {
    const db = await this.#open();
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

/** Each word is a quoted prefix, so that nothing the user types is taken for query syntax. */
function matching(words: string): string {
  return words
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => `"${word.replaceAll('"', '""')}"*`)
    .join(' ');
}
