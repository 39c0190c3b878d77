/** Runs in PostgreSQL, for all machines of a fleet. Every change is one transaction. */
import {
  type Intake,
  type Offsets,
  type Run,
  type RunChange,
  type RunEvent,
  type RunMessage,
  type RunNews,
  type RunOutput,
  type RunQuestion,
  type RunSession,
  type RunState,
  type RunStore,
  RunWatchers,
  type RunWish,
  type Taken,
} from '@tenon/runs/api';
import { keysOf } from '../queue/keys.ts';
import { bundleIdOf, workIdOf } from '../work/bundle-id.ts';
import type { Database, Sql } from './database.ts';
import { Listener } from './listener.ts';
import { appendEvents, tell } from './log.ts';
import { eventOf, type LogRow, newsOf, outputOf } from './rows.ts';
import { SCHEMA } from './schema.ts';
import { begin, changeSession, safe, type SessionRow, take } from './sessions.ts';

/** States in which a host works on a run, or is about to. */
export const ACTIVE: readonly RunState[] = ['queued', 'starting', 'running', 'validating'];

const TOGETHER_MS = 25;

/** A host that may write only to the runs that are its own. */
export interface Holding {
  readonly host: string;
  /** The token of each run that is its own, given when it was claimed. */
  token(run: string): string | undefined;
  /** Keeps the work of a session that has ended; gives its commit, and tells what went wrong. */
  capture(run: Run): Promise<{ readonly work?: string; readonly notice?: string }>;
}

interface RunRow {
  readonly body: string;
  readonly state: RunState;
  readonly owner: string | null;
  readonly token: string;
}

/** The store. With `holding` it shows and changes only the runs of one host. */
export class PostgresStore implements RunStore {
  readonly #database: Database;
  readonly #holding: Holding | undefined;
  readonly #listener: Listener;
  readonly #watchers = new RunWatchers();
  /** Runs that were told of since those who watch were; undefined when it is not known which. */
  #heard: Set<string> | undefined = new Set();
  #changes = 0;
  #soon: NodeJS.Timeout | undefined;

  private constructor(database: Database, holding: Holding | undefined) {
    this.#database = database;
    this.#holding = holding;
    this.#listener = new Listener(database, (payload) => this.#hear(payload));
  }

  /** Opens it; the database was prepared. */
  static async open(database: Database, holding?: Holding): Promise<PostgresStore> {
    const store = new PostgresStore(database, holding);
    await store.#listener.open();
    return store;
  }

  add(run: Run): Promise<boolean> {
    return this.#write(async (sql) => {
      const { id, alias, state, created, session, request } = run;
      const added = await sql.rows(
        `INSERT INTO ${SCHEMA}.run (id, alias, state, created, body, priority, labels, keys, base)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id`,
        [
          id,
          alias,
          state,
          created,
          JSON.stringify(run),
          request.priority ?? 0,
          request.labels ?? [],
          keysOf(run),
          request.workspace ? bundleIdOf(request.workspace) : null,
        ],
      );
      if (added.length === 0) return false;
      await appendEvents(sql, id, session, [{ type: 'state', state }]);
      await tell(sql, 'q', `r${id}`);
      return true;
    });
  }

  async get(id: string): Promise<Run | undefined> {
    const [row] = await this.#database.rows<{ body: string }>(`SELECT body FROM ${SCHEMA}.run WHERE id = $1`, [id]);
    return row && (JSON.parse(row.body) as Run);
  }

  async list(filter: { readonly states?: readonly RunState[]; readonly limit?: number } = {}): Promise<readonly Run[]> {
    const rows = await this.#database.rows<{ body: string }>(
      `SELECT body FROM ${SCHEMA}.run WHERE ($1::text[] IS NULL OR state = ANY($1)) AND ($2::text IS NULL OR owner = $2)
       ORDER BY created DESC, id COLLATE "C" DESC LIMIT $3`,
      [filter.states ?? null, this.#holding?.host ?? null, filter.limit ?? null],
    );
    const runs = rows.map(({ body }) => JSON.parse(body) as Run);
    const { token } = this.#holding ?? {};
    // Owned by this host, but not by this process: whatever lost it has not been told yet.
    return token ? runs.filter(({ id }) => this.#holding?.token(id) !== undefined) : runs;
  }

  remove(id: string, options: { readonly output: boolean; readonly from?: readonly RunState[] }): Promise<boolean> {
    return this.#write(async (sql) => {
      const before = await this.#lock(sql, id);
      if (before && options.from && !options.from.includes(before.state)) return false;
      const tables = ['session', 'question', 'message', 'wish', ...(options.output ? ['log'] : [])];
      for (const table of tables) await sql.rows(`DELETE FROM ${SCHEMA}.${table} WHERE run = $1`, [id]);
      const gone = await sql.rows<{ base: string | null; work: string | null }>(
        `DELETE FROM ${SCHEMA}.run WHERE id = $1 RETURNING base, work`,
        [id],
      );
      // What no run needs any more.
      await sql.rows(
        `DELETE FROM ${SCHEMA}.bundle b WHERE id = ANY($1)
           AND NOT EXISTS (SELECT FROM ${SCHEMA}.run WHERE base = b.id) AND NOT EXISTS (SELECT FROM ${SCHEMA}.run WHERE work = b.id)`,
        [gone.flatMap(({ base, work }) => [base, work]).filter((bundle) => bundle !== null)],
      );
      await tell(sql, `r${id}`);
      return true;
    });
  }

  async change(
    id: string,
    change: RunChange,
  ): Promise<{ readonly run: Run; readonly events: readonly RunEvent[] } | undefined> {
    const isEnd = change.session !== undefined && 'ended' in change.session && change.session.ended !== undefined;
    const now = isEnd && this.#holding ? await this.get(id) : undefined;
    // Before the transaction, because it takes a while, and nobody should wait for it.
    const captured = now && (await this.#holding?.capture(now));
    return this.#write(async (sql) => {
      const row = await this.#lock(sql, id);
      if (row === undefined || !this.#isOurs(id, row)) return undefined;
      if (change.from && !change.from.includes(row.state)) return undefined;
      const work = captured?.work === undefined ? {} : { work: captured.work };
      const run = JSON.parse(JSON.stringify({ ...(JSON.parse(row.body) as Run), ...change.run, ...work })) as Run;
      await this.#place(sql, run, row.state);
      if (change.begin) await begin(sql, change.begin);
      if (change.session) await changeSession(sql, id, run.session, change.session);
      for (const [position, question] of (change.ask ?? []).entries())
        await sql.rows(
          `INSERT INTO ${SCHEMA}.question (run, session, id, position, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
          [
            id,
            run.session,
            safe(question.id),
            position,
            JSON.stringify({ run: id, session: run.session, ...question }),
          ],
        );
      if (change.sent !== undefined)
        await sql.rows(`UPDATE ${SCHEMA}.message SET state = 'sent' WHERE run = $1 AND number = $2`, [id, change.sent]);
      if (change.dropMessages)
        await sql.rows(`UPDATE ${SCHEMA}.message SET state = 'dropped' WHERE run = $1 AND state = 'queued'`, [id]);
      if (change.fulfils && change.fulfils.length > 0)
        await sql.rows(`DELETE FROM ${SCHEMA}.wish WHERE run = $1 AND wish = ANY($2)`, [id, change.fulfils]);
      const notices = captured?.notice === undefined ? [] : [{ type: 'notice' as const, message: captured.notice }];
      const events = await appendEvents(sql, id, run.session, [...notices, ...(change.events ?? [])]);
      await tell(sql, `r${id}`);
      return { run, events };
    });
  }

  /** Writes a run and what the queue knows of it: one that is not active any more frees its place; one that becomes active waits for one. */
  async #place(sql: Sql, run: Run, before: RunState): Promise<void> {
    const { work, request } = run;
    const bundle = work === undefined || !request.workspace ? null : workIdOf(request.workspace.base, work);
    const values = [run.id, run.state, JSON.stringify(run), bundle];
    const set = `UPDATE ${SCHEMA}.run SET state = $2, body = $3, work = coalesce($4, work)`;
    const [isActive, wasActive] = [ACTIVE.includes(run.state), ACTIVE.includes(before)];
    if (isActive === wasActive) await sql.rows(`${set} WHERE id = $1`, values);
    else if (isActive)
      await sql.rows(
        `${set}, leg = leg + 1, admitted = NULL, class = NULL, owner = NULL, since = clock_timestamp() WHERE id = $1`,
        values,
      );
    else await sql.rows(`${set}, admitted = NULL, class = NULL, owner = NULL WHERE id = $1`, values);
    if (isActive !== wasActive) await tell(sql, 'q');
  }

  async sessions(id: string): Promise<readonly (RunSession & { readonly offsets: Offsets })[]> {
    const rows = await this.#database.rows<SessionRow>(
      `SELECT body, stdout, stderr FROM ${SCHEMA}.session WHERE run = $1 ORDER BY number`,
      [id],
    );
    return rows.map(({ body, stdout, stderr }) => ({
      ...(JSON.parse(body) as RunSession),
      offsets: { stdout: Number(stdout), stderr: Number(stderr) },
    }));
  }

  async take(intakes: readonly Intake[]): Promise<readonly (Taken | undefined)[]> {
    if (intakes.length === 0) return [];
    return this.#write((sql) => take(sql, intakes, (id, row) => this.#isOurs(id, row)));
  }

  async outputs(
    id: string,
    after: { readonly session: number; readonly sequence: number },
    limit: number,
  ): Promise<readonly RunOutput[]> {
    const rows = await this.#database.rows<LogRow>(
      `SELECT * FROM ${SCHEMA}.log WHERE run = $1 AND sequence IS NOT NULL AND (session, sequence) > ($2, $3)
       ORDER BY session, sequence LIMIT $4`,
      [id, after.session, after.sequence, limit],
    );
    return rows.map(outputOf);
  }

  async news(id: string, after: number, limit: number): Promise<readonly RunNews[]> {
    const rows = await this.#database.rows<LogRow>(
      `SELECT * FROM ${SCHEMA}.log WHERE run = $1 AND place > $2 ORDER BY place LIMIT $3`,
      [id, after, limit],
    );
    return rows.map(newsOf);
  }

  async events(after: number, limit: number, id?: string): Promise<readonly RunEvent[]> {
    // Over all runs, places do not grow in the order of commits: what an open transaction may still put in between is waited for.
    const settled = id === undefined ? 'AND written < pg_snapshot_xmin(pg_current_snapshot())' : 'AND run = $3';
    const rows = await this.#database.rows<LogRow>(
      `SELECT * FROM ${SCHEMA}.log WHERE place > $1 AND sequence IS NULL ${settled} ORDER BY place LIMIT $2`,
      [after, limit, ...(id === undefined ? [] : [id])],
    );
    return rows.map(eventOf);
  }

  async questions(id: string): Promise<readonly RunQuestion[]> {
    const rows = await this.#database.rows<{ body: string; answer: string | null }>(
      `SELECT body, answer FROM ${SCHEMA}.question WHERE run = $1 ORDER BY session, position`,
      [id],
    );
    return rows.map(({ body, answer }) => ({
      ...(JSON.parse(body) as RunQuestion),
      ...(answer !== null && { answer: JSON.parse(answer) as string }),
    }));
  }

  answer(id: string, answers: Readonly<Record<string, string>>): Promise<number> {
    return this.#write(async (sql) => {
      await this.#lock(sql, id);
      for (const [question, answer] of Object.entries(answers))
        await sql.rows(`UPDATE ${SCHEMA}.question SET answer = $1 WHERE run = $2 AND id = $3 AND answer IS NULL`, [
          JSON.stringify(answer),
          id,
          safe(question),
        ]);
      const [row] = await sql.rows<{ open: string }>(
        `SELECT count(*) AS open FROM ${SCHEMA}.question WHERE run = $1 AND answer IS NULL`,
        [id],
      );
      await tell(sql, `r${id}`);
      return Number(row?.open ?? 0);
    });
  }

  addMessage(id: string, text: string): Promise<RunMessage> {
    return this.#write(async (sql) => {
      await this.#lock(sql, id);
      const [row] = await sql.rows<{ number: number }>(
        `INSERT INTO ${SCHEMA}.message (run, number, text, state)
         SELECT $1, coalesce(max(number), 0) + 1, $2, 'queued' FROM ${SCHEMA}.message WHERE run = $1 RETURNING number`,
        [id, JSON.stringify(text)],
      );
      await tell(sql, `r${id}`);
      return { run: id, number: row?.number ?? 1, text, state: 'queued' };
    });
  }

  async messages(id: string): Promise<readonly RunMessage[]> {
    const rows = await this.#database.rows<RunMessage & { readonly text: string }>(
      `SELECT run, number, text, state FROM ${SCHEMA}.message WHERE run = $1 ORDER BY number`,
      [id],
    );
    return rows.map((row) => ({ ...row, text: JSON.parse(row.text) as string }));
  }

  async wish(id: string, wish: RunWish): Promise<void> {
    await this.#write(async (sql) => {
      await sql.rows(`INSERT INTO ${SCHEMA}.wish (run, wish) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [id, wish]);
      await tell(sql, `r${id}`);
    });
  }

  async wishes(): Promise<readonly { readonly run: string; readonly wish: RunWish }[]> {
    return this.#database.rows<{ run: string; wish: RunWish }>(
      `SELECT w.run, w.wish FROM ${SCHEMA}.wish w LEFT JOIN ${SCHEMA}.run r ON r.id = w.run
       WHERE $1::text IS NULL OR r.owner = $1 ORDER BY 1, 2`,
      [this.#holding?.host ?? null],
    );
  }

  async forgetWish(id: string, wish: RunWish): Promise<void> {
    await this.#write(async (sql) => {
      await sql.rows(`DELETE FROM ${SCHEMA}.wish WHERE run = $1 AND wish = $2`, [id, wish]);
      await tell(sql, `r${id}`);
    });
  }

  version(): number {
    return this.#changes;
  }

  watch(listener: () => void, run?: string): () => void {
    return this.#watchers.add(listener, run);
  }

  /** The database stays open: it is its owner's. */
  async close(): Promise<void> {
    clearTimeout(this.#soon);
    await this.#listener.close();
  }

  /** Something has changed that the database did not tell of: a run was claimed. */
  stir(runs?: ReadonlySet<string>): void {
    this.#changes++;
    this.#watchers.tell(runs);
  }

  #hear(payload: string | undefined): void {
    if (payload !== undefined && !payload.startsWith('r')) return;
    if (payload !== undefined && this.#holding && this.#holding.token(payload.slice(1)) === undefined) return;
    if (payload === undefined) this.#heard = undefined;
    else this.#heard?.add(payload.slice(1));
    // Many runs write at once; who follows one of them looks a few times a second, not at each piece.
    this.#soon ??= setTimeout(() => {
      const runs = this.#heard;
      this.#heard = new Set();
      this.#soon = undefined;
      this.stir(runs);
    }, TOGETHER_MS).unref();
  }

  async #lock(sql: Sql, id: string): Promise<RunRow | undefined> {
    const [row] = await sql.rows<RunRow>(
      `SELECT body, state, owner, token FROM ${SCHEMA}.run WHERE id = $1 FOR UPDATE`,
      [id],
    );
    return row;
  }

  #isOurs(id: string, { owner, token }: Pick<RunRow, 'owner' | 'token'>): boolean {
    return this.#holding === undefined || (owner === this.#holding.host && token === this.#holding.token(id));
  }

  async #write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const result = await this.#database.transaction(work);
    this.#changes++;
    return result;
  }
}
