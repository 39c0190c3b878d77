/** Prompts that the user typed, in SQLite with full-text search. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PromptHistory } from './api.ts';

interface Row {
  readonly prompt: string;
  readonly cwd: string;
  readonly created_at: number;
}

interface Db {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: unknown[]): unknown;
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
`;

/** A prompt history in a database file, opened when it is first used. */
export class SqliteHistory implements PromptHistory {
  readonly #file: string;
  #db: Promise<Db> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  #open(): Promise<Db> {
    return (this.#db ??= (async () => {
      const { default: Database } = (await import('libsql')) as unknown as { default: new (file: string) => Db };
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      const db = new Database(this.#file);
      db.exec(SCHEMA);
      return db;
    })());
  }

  async add(prompt: string, cwd: string): Promise<void> {
    const db = await this.#open();
    const last = db.prepare('SELECT prompt, cwd, created_at FROM history ORDER BY id DESC LIMIT 1').get();
    if (prompt.trim() === '' || last?.prompt === prompt) return;
    db.prepare('INSERT INTO history (prompt, created_at, cwd) VALUES (?, ?, ?)').run(prompt, Date.now(), cwd);
  }

  async recent(limit: number, cwd?: string): Promise<readonly string[]> {
    const db = await this.#open();
    const rows =
      cwd === undefined
        ? db.prepare('SELECT prompt, cwd, created_at FROM history ORDER BY id DESC LIMIT ?').all(limit)
        : db
            .prepare('SELECT prompt, cwd, created_at FROM history WHERE cwd = ? ORDER BY id DESC LIMIT ?')
            .all(cwd, limit);
    return rows.map(({ prompt }) => prompt);
  }

  async search(words: string, limit: number): Promise<readonly { prompt: string; cwd: string; at: string }[]> {
    // Each word is a quoted prefix, so that nothing the user types is taken for query syntax.
    const query = words
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => `"${word.replaceAll('"', '""')}"*`)
      .join(' ');
    if (query === '') return [];
    const db = await this.#open();
    const sql = `SELECT h.prompt, h.cwd, h.created_at FROM history_fts f JOIN history h ON h.id = f.rowid
                 WHERE history_fts MATCH ? ORDER BY h.id DESC LIMIT ?`;
    return db
      .prepare(sql)
      .all(query, limit)
      .map(({ prompt, cwd, created_at }) => ({ prompt, cwd, at: new Date(created_at).toISOString() }));
  }

  async close(): Promise<void> {
    const opened = this.#db;
    this.#db = undefined;
    (await opened)?.close();
  }
}
