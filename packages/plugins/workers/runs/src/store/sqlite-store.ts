/** Runs in a SQLite database. Several processes share the file; every change is one transaction. */
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { type ColumnValue, type Database, inTransaction, type Statement } from '@tenon/state-files';
import { errors } from '../errors.ts';
import type {
  Run,
  RunEvent,
  RunEventBody,
  RunMessage,
  RunNews,
  RunOutput,
  RunQuestion,
  RunSession,
  RunState,
} from '../run.ts';
import type { Intake, Offsets, RunChange, RunStore, RunStoreSource, RunWish, Taken } from './run-store.ts';
import { RunWatchers } from './run-watchers.ts';
import { openFile } from './sqlite-file.ts';
import { watchFile } from './watch-file.ts';

interface LogRow {
  readonly place: number;
  readonly run: string;
  readonly session: number;
  readonly at: string;
  readonly sequence: number | null;
  readonly stream: RunOutput['stream'] | null;
  readonly body: string;
}

interface SessionRow extends Offsets {
  readonly number: number;
  readonly body: string;
  readonly pieces: number;
}

/** Where the database is. */
export const STORE_FILE = 'runs.db';

/** Opens a database in the folder of runs. */
export const sqliteStore: RunStoreSource = {
  open: async ({ folder }) => {
    const file = join(folder, STORE_FILE);
    return new SqliteStore(file, await openFile(file));
  },
};

class SqliteStore implements RunStore {
  readonly #file: string;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement<unknown>>();
  readonly #watchers = new RunWatchers();
  #stopWatch: (() => void) | undefined;
  #changes = 0;
  #seen = -1;
  /** The newest place that those who watch were told of. */
  #told = 0;

  constructor(file: string, db: Database) {
    this.#file = file;
    this.#db = db;
  }

  add(run: Run): Promise<boolean> {
    return this.#write(() => {
      const { id, alias, state, created } = run;
      const sql = 'INSERT INTO runs (id, alias, state, created, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      const isNew = this.#sql(sql).run(id, alias, state, created, JSON.stringify(run)).changes > 0;
      if (isNew) this.#addEvents(id, run.session, [{ type: 'state', state }]);
      return isNew;
    });
  }

  get(id: string): Promise<Run | undefined> {
    return this.#read(() => this.#get(id));
  }

  list(filter: { readonly states?: readonly Run['state'][]; readonly limit?: number } = {}): Promise<readonly Run[]> {
    const { states, limit = -1 } = filter;
    const where = states === undefined ? '' : `WHERE state IN (${states.map(() => '?').join(', ')})`;
    const sql = `SELECT body FROM runs ${where} ORDER BY created DESC, id DESC LIMIT ?`;
    return this.#read(() =>
      this.#sql<{ body: string }>(sql)
        .all(...(states ?? []), limit)
        .map(({ body }) => JSON.parse(body) as Run),
    );
  }

  remove(
    id: string,
    { output, from }: { readonly output: boolean; readonly from?: readonly RunState[] },
  ): Promise<boolean> {
    return this.#write(() => {
      const before = this.#get(id);
      if (from && before && !from.includes(before.state)) return false;
      for (const table of ['sessions', 'questions', 'messages', 'wishes', ...(output ? ['log'] : [])])
        this.#sql(`DELETE FROM ${table} WHERE run = ?`).run(id);
      this.#sql('DELETE FROM runs WHERE id = ?').run(id);
      return true;
    });
  }

  change(
    id: string,
    change: RunChange,
  ): Promise<{ readonly run: Run; readonly events: readonly RunEvent[] } | undefined> {
    return this.#write(() => {
      const before = this.#get(id);
      if (before === undefined || (change.from && !change.from.includes(before.state))) return undefined;
      const run: Run = JSON.parse(JSON.stringify({ ...before, ...change.run })) as Run;
      this.#sql('UPDATE runs SET state = ?, body = ? WHERE id = ?').run(run.state, JSON.stringify(run), id);
      if (change.begin) this.#begin(change.begin);
      if (change.session) this.#changeSession(id, run.session, change.session);
      for (const [position, question] of (change.ask ?? []).entries()) this.#ask(run, question, position);
      if (change.sent !== undefined)
        this.#sql("UPDATE messages SET state = 'sent' WHERE run = ? AND number = ?").run(id, change.sent);
      if (change.dropMessages)
        this.#sql("UPDATE messages SET state = 'dropped' WHERE run = ? AND state = 'queued'").run(id);
      for (const wish of change.fulfils ?? []) this.#forget(id, wish);
      return { run, events: this.#addEvents(id, run.session, change.events ?? []) };
    });
  }

  sessions(id: string): Promise<readonly (RunSession & { readonly offsets: Offsets })[]> {
    return this.#read(() =>
      this.#sql<SessionRow>('SELECT * FROM sessions WHERE run = ? ORDER BY number')
        .all(id)
        .map(({ body, stdout, stderr }) => ({ ...(JSON.parse(body) as RunSession), offsets: { stdout, stderr } })),
    );
  }

  take(intakes: readonly Intake[]): Promise<readonly (Taken | undefined)[]> {
    if (intakes.length === 0) return Promise.resolve([]);
    return this.#write(() => intakes.map((intake) => this.#take(intake)));
  }

  outputs(
    id: string,
    after: { readonly session: number; readonly sequence: number },
    limit: number,
  ): Promise<readonly RunOutput[]> {
    const sql = `SELECT * FROM log WHERE run = ? AND sequence IS NOT NULL AND (session, sequence) > (?, ?)
      ORDER BY session, sequence LIMIT ?`;
    return this.#read(() => this.#sql<LogRow>(sql).all(id, after.session, after.sequence, limit).map(outputOf));
  }

  news(id: string, after: number, limit: number): Promise<readonly RunNews[]> {
    return this.#read(() =>
      this.#sql<LogRow>('SELECT * FROM log WHERE run = ? AND place > ? ORDER BY place LIMIT ?')
        .all(id, after, limit)
        .map((row) =>
          row.sequence === null
            ? { type: 'event' as const, event: eventOf(row) }
            : { type: 'output' as const, output: outputOf(row) },
        ),
    );
  }

  events(after: number, limit: number, id?: string): Promise<readonly RunEvent[]> {
    const ofRun = id === undefined ? '' : 'AND run = ?';
    const sql = `SELECT * FROM log WHERE place > ? AND sequence IS NULL ${ofRun} ORDER BY place LIMIT ?`;
    const values: ColumnValue[] = [after, ...(id === undefined ? [] : [id]), limit];
    return this.#read(() =>
      this.#sql<LogRow>(sql)
        .all(...values)
        .map(eventOf),
    );
  }

  questions(id: string): Promise<readonly RunQuestion[]> {
    const sql = 'SELECT body, answer FROM questions WHERE run = ? ORDER BY session, position';
    return this.#read(() =>
      this.#sql<{ body: string; answer: string | null }>(sql)
        .all(id)
        .map(({ body, answer }) => ({ ...(JSON.parse(body) as RunQuestion), ...(answer !== null && { answer }) })),
    );
  }

  answer(id: string, answers: Readonly<Record<string, string>>): Promise<number> {
    return this.#write(() => {
      for (const [question, answer] of Object.entries(answers))
        this.#sql('UPDATE questions SET answer = ? WHERE run = ? AND id = ? AND answer IS NULL').run(
          answer,
          id,
          question,
        );
      const sql = 'SELECT count(*) AS open FROM questions WHERE run = ? AND answer IS NULL';
      return this.#sql<{ open: number }>(sql).get(id)?.open ?? 0;
    });
  }

  addMessage(id: string, text: string): Promise<RunMessage> {
    return this.#write(() => {
      const last = this.#sql<{ last: number | null }>('SELECT max(number) AS last FROM messages WHERE run = ?').get(id);
      const number = (last?.last ?? 0) + 1;
      this.#sql("INSERT INTO messages (run, number, text, state) VALUES (?, ?, ?, 'queued')").run(id, number, text);
      return { run: id, number, text, state: 'queued' };
    });
  }

  messages(id: string): Promise<readonly RunMessage[]> {
    return this.#read(() => this.#sql<RunMessage>('SELECT * FROM messages WHERE run = ? ORDER BY number').all(id));
  }

  wish(id: string, wish: RunWish): Promise<void> {
    return this.#write(() => {
      this.#sql('INSERT INTO wishes (run, wish) VALUES (?, ?) ON CONFLICT DO NOTHING').run(id, wish);
    });
  }

  wishes(): Promise<readonly { readonly run: string; readonly wish: RunWish }[]> {
    return this.#read(() => this.#sql<{ run: string; wish: RunWish }>('SELECT run, wish FROM wishes').all());
  }

  forgetWish(id: string, wish: RunWish): Promise<void> {
    return this.#write(() => this.#forget(id, wish));
  }

  version(): number {
    // Tells of changes by other connections alone.
    const version = this.#sql<{ data_version: number }>('PRAGMA data_version').get()?.data_version ?? 0;
    if (version !== this.#seen) {
      this.#seen = version;
      this.#changes++;
    }
    return this.#changes;
  }

  watch(listener: () => void, run?: string): () => void {
    const stop = this.#watchers.add(listener, run);
    // One watch serves all who listen here.
    if (this.#stopWatch === undefined) {
      this.#told = this.#newest();
      this.#stopWatch = watchFile(
        this.#file,
        () => this.version(),
        () => this.#tell(),
      );
    }
    return () => {
      stop();
      if (this.#watchers.size > 0) return;
      this.#stopWatch?.();
      this.#stopWatch = undefined;
    };
  }

  async close(): Promise<void> {
    this.#stopWatch?.();
    this.#statements.clear();
    this.#db.close();
  }

  /** Looks once, for all who watch, of which runs something was written. */
  #tell(): void {
    const sql = 'SELECT run, max(place) AS place FROM log WHERE place > ? GROUP BY run';
    let runs: Map<string, number> | undefined;
    try {
      runs = new Map(
        this.#sql<{ run: string; place: number }>(sql)
          .all(this.#told)
          .map(({ run, place }) => [run, place]),
      );
    } catch {
      // All look for themselves, and tell what is wrong.
    }
    this.#told = Math.max(this.#told, ...(runs?.values() ?? []));
    this.#watchers.tell(runs && new Set(runs.keys()));
  }

  #newest(): number {
    return this.#sql<{ newest: number | null }>('SELECT max(place) AS newest FROM log').get()?.newest ?? 0;
  }

  #get(id: string): Run | undefined {
    const row = this.#sql<{ body: string }>('SELECT body FROM runs WHERE id = ?').get(id);
    return row && (JSON.parse(row.body) as Run);
  }

  #begin(session: RunSession): void {
    const sql = 'INSERT INTO sessions (run, number, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    this.#sql(sql).run(session.run, session.number, JSON.stringify(session));
  }

  #changeSession(id: string, number: number, change: NonNullable<RunChange['session']>): void {
    const row = this.#sql<SessionRow>('SELECT * FROM sessions WHERE run = ? AND number = ?').get(id, number);
    if (row === undefined) throw new TypeError(`run ${id} has no session ${number}`);
    const body = JSON.stringify({ ...(JSON.parse(row.body) as RunSession), ...change });
    this.#sql('UPDATE sessions SET body = ? WHERE run = ? AND number = ?').run(body, id, number);
  }

  #ask(run: Run, question: Pick<RunQuestion, 'id' | 'text' | 'options'>, position: number): void {
    const body = JSON.stringify({ run: run.id, session: run.session, ...question });
    const sql =
      'INSERT INTO questions (run, session, id, position, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
    this.#sql(sql).run(run.id, run.session, question.id, position, body);
  }

  #forget(id: string, wish: RunWish): void {
    this.#sql('DELETE FROM wishes WHERE run = ? AND wish = ?').run(id, wish);
  }

  #take({ run, session, outputs, events, from, offsets }: Intake): Taken | undefined {
    const row = this.#sql<SessionRow>('SELECT * FROM sessions WHERE run = ? AND number = ?').get(run, session);
    if (row === undefined || row.stdout !== from.stdout || row.stderr !== from.stderr) return undefined;
    const at = new Date().toISOString();
    const insert = this.#sql('INSERT INTO log (run, session, at, sequence, stream, body) VALUES (?, ?, ?, ?, ?, ?)');
    const stored = outputs.map(({ stream, text }, index): RunOutput => {
      const sequence = row.pieces + index + 1;
      const place = Number(insert.run(run, session, at, sequence, stream, text).lastInsertRowid);
      return { place, run, session, sequence, at, stream, text };
    });
    this.#sql('UPDATE sessions SET pieces = ?, stdout = ?, stderr = ? WHERE run = ? AND number = ?').run(
      row.pieces + outputs.length,
      offsets.stdout,
      offsets.stderr,
      run,
      session,
    );
    return { outputs: stored, events: this.#addEvents(run, session, events) };
  }

  #addEvents(run: string, session: number, bodies: readonly RunEventBody[]): RunEvent[] {
    const at = new Date().toISOString();
    const insert = this.#sql('INSERT INTO log (run, session, at, body) VALUES (?, ?, ?, ?)');
    return bodies.map((what) => {
      const place = Number(insert.run(run, session, at, JSON.stringify(what)).lastInsertRowid);
      return { place, run, session, at, what };
    });
  }

  #sql<Row>(sql: string): Statement<Row> {
    const known = this.#statements.get(sql);
    if (known) return known as Statement<Row>;
    const made = this.#db.prepare<Row>(sql);
    this.#statements.set(sql, made);
    return made;
  }

  async #read<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (fault) {
      throw this.#unusable(fault);
    }
  }

  async #write<T>(work: () => T): Promise<T> {
    try {
      const result = inTransaction(this.#db, work);
      this.#changes++;
      return result;
    } catch (fault) {
      throw this.#unusable(fault);
    }
  }

  #unusable(fault: unknown): Error {
    return errors.create('RUNS_STORE', { place: this.#file, reason: messageOf(fault) }, fault);
  }
}

function eventOf({ place, run, session, at, body }: LogRow): RunEvent {
  return { place, run, session, at, what: JSON.parse(body) as RunEventBody };
}

function outputOf({ place, run, session, at, sequence, stream, body }: LogRow): RunOutput {
  return { place, run, session, sequence: sequence ?? 0, at, stream: stream ?? 'stdout', text: body };
}
