/** A database that outlives its server's restarts: every call is tried again until it was done exactly once, or the patience ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, TenonError } from '@tenon/kernel';
import { Client, type ClientBase, Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { shownAddress } from '../credentials.ts';
import { errors } from '../errors.ts';
import { isLostConnection, isPassing, nextStep } from './faults.ts';

/** A server that says nothing for so long is not there: its host may have been cut off. */
const QUERY_MS = 15_000;
const CONNECT_MS = 5_000;
const FIRST_REST_MS = 50;
const LONGEST_REST_MS = 1_000;

/** A row as it comes. */
export type Row = QueryResultRow;

/** Runs statements, all of them in one transaction. */
export interface Sql {
  readonly client: ClientBase;
  rows<R extends Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

/** How a database is used. */
export interface DatabaseOptions {
  readonly url: string;
  /** How long a call is tried again while the server is away. */
  readonly patienceMs: number;
  readonly connections: number;
  /** Nothing is tried again after this. */
  readonly signal?: AbortSignal;
}

/**
 * A host that is cut off in the middle of a transaction would hold its locks until the server notices, and nobody could take over: a
 * transaction that says nothing is ended, and so is a connection to a machine that does not answer.
 */
const SERVER = {
  idle_in_transaction_session_timeout: 4_000,
  tcp_keepalives_idle: 3,
  tcp_keepalives_interval: 1,
  tcp_keepalives_count: 4,
  tcp_user_timeout: 8_000,
};

/** What every connection is made with. */
export function connectionOptions(url: string) {
  return {
    options: Object.entries(SERVER)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'tenon',
  };
}

/** PostgreSQL. */
export class Database {
  readonly url: string;
  readonly place: string;
  readonly #pool: Pool;
  readonly #patience: number;
  readonly #signal: AbortSignal | undefined;

  constructor({ url, patienceMs, connections, signal }: DatabaseOptions) {
    this.url = url;
    this.place = shownAddress(url);
    this.#patience = patienceMs;
    this.#signal = signal;
    this.#pool = new Pool({ ...connectionOptions(url), max: connections, idleTimeoutMillis: 60_000 });
    // A connection that breaks while nobody uses it is no news: the pool makes another.
    this.#pool.on('error', () => undefined);
  }

  /** A connection of its own, for listening. */
  client(): Client {
    return new Client({ ...connectionOptions(this.url), query_timeout: QUERY_MS });
  }

  /** One statement that may be run twice: one that reads. */
  async rows<R extends Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#patiently(async () => (await this.#pool.query<R>(text, [...values])).rows);
  }

  /** All of `work` or nothing, and once: when the connection breaks during the commit, the server is asked what became of it. */
  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    let committing: { readonly xid: string; readonly result: T } | undefined;
    return this.#patiently(async () => {
      if (committing && (await this.#wasCommitted(committing.xid))) return committing.result;
      committing = undefined;
      const client = await this.#pool.connect();
      // The statement that is under way fails, too, and that is heard; without a listener the process would end.
      const hear = () => undefined;
      client.on('error', hear);
      try {
        // Two statements in one go give two results, which the types do not know.
        const begun = (await client.query('BEGIN; SELECT pg_current_xact_id()::text AS xid')) as unknown as [
          QueryResult,
          QueryResult<{ xid: string }>,
        ];
        const result = await work(sqlOf(client));
        committing = { xid: begun[1].rows[0]?.xid ?? '', result };
        await client.query('COMMIT');
        committing = undefined;
        client.off('error', hear);
        client.release();
        return result;
      } catch (fault) {
        await giveBack(client, fault, hear);
        throw fault;
      }
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #wasCommitted(xid: string): Promise<boolean> {
    for (;;) {
      const [row] = (
        await this.#pool.query<{ status: string | null }>('SELECT pg_xact_status($1::xid8) AS status', [xid])
      ).rows;
      if (row?.status !== 'in progress') return row?.status === 'committed';
      await sleep(FIRST_REST_MS);
    }
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#patience;
    for (let rest = FIRST_REST_MS; ; rest = Math.min(rest * 2, LONGEST_REST_MS)) {
      try {
        return await work();
      } catch (fault) {
        if (fault instanceof TenonError) throw fault;
        if (!isPassing(fault) || performance.now() + rest > deadline || this.#signal?.aborted === true)
          throw errors.create(
            'FLEET_DATABASE',
            { place: this.place, reason: messageOf(fault), next: nextStep(fault) },
            fault,
          );
      }
      // Aborted: one more try, then the error of that.
      await sleep(rest * (0.5 + Math.random()), undefined, this.#signal && { signal: this.#signal }).catch(
        () => undefined,
      );
    }
  }
}

function sqlOf(client: ClientBase): Sql {
  return {
    client,
    rows: async <R extends Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query<R>(text, [...values])).rows,
  };
}

async function giveBack(client: PoolClient, fault: unknown, hear: () => void): Promise<void> {
  // One that is thrown away may still say why; `hear` stays.
  if (isLostConnection(fault)) return client.release(true);
  try {
    await client.query('ROLLBACK');
    client.off('error', hear);
    client.release();
  } catch {
    client.release(true); // It is broken, and goes with its transaction.
  }
}
