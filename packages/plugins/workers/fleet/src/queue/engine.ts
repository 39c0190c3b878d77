/** DBOS: carries a run that was admitted to one of the hosts of a class, once, and tells which host has it. Only its public interface is used. */
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Logger } from '@tenon/kernel';
import { type ClientBase, Pool } from 'pg';
import { connectionOptions } from '../database/database.ts';
import { ENGINE_SCHEMA } from '../database/schema.ts';
import { queueOf } from './keys.ts';

/** Of what a queued item carries, not of Tenon: an older host may do what a newer one has queued. */
const VERSION = '1';
const WORKFLOW = 'tenon-run';
const APPLICATION = 'tenon';
/** How long an item waits for a look at most, roughly. */
const POLL_MS = 75;
/** What counts as not being able to wait any longer: a leg of a run may take days. */
const LONGEST_DRAIN_MS = 2_000_000_000;
const PAGE = 1_000;
/** How long a leg that has ended is remembered: a late second try of it must find it. */
const KEPT_MS = 3_600_000;
const CONNECTIONS = 6;

/** How a leg is called in DBOS: enqueued twice, it is one. */
export const workflowOf = (run: string, leg: number) => `${run}:${leg}`;

/** A leg of a run by its name in DBOS. */
export function legOf(workflow: string): { readonly run: string; readonly leg: number } | undefined {
  const [, run, leg] = /^(.+):(\d+)$/s.exec(workflow) ?? [];
  return run === undefined ? undefined : { run, leg: Number(leg) };
}

/** Does a leg of a run; resolves when this host has nothing more to do for it. */
export type DoLeg = (run: string, leg: number) => Promise<void>;

/** Where and as whom it works. */
export interface EngineOptions {
  readonly url: string;
  readonly host: string;
  readonly hostClass: string;
  readonly slots: number;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly work: DoLeg;
}

const loggerOf = (log: EngineOptions['log']) => ({
  info: (entry: unknown) => log.debug(`dbos: ${String(entry)}`),
  debug: () => undefined,
  warn: (entry: unknown) => log.debug(`dbos: ${String(entry)}`),
  error: (entry: unknown) => log.warn(`dbos: ${String(entry)}`),
});

/** A pool of ours: its connections break by themselves when the server is out of reach, and nobody is told of those that nobody uses. */
function poolOf(url: string, size: number): Pool {
  const pool = new Pool({ ...connectionOptions(url), max: size });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Makes the tables of DBOS. */
export async function migrateEngine(url: string, log: EngineOptions['log']): Promise<void> {
  const pool = poolOf(url, 3);
  try {
    DBOS.setConfig({
      name: APPLICATION,
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      systemDatabaseSchemaName: ENGINE_SCHEMA,
      applicationVersion: VERSION,
      executorID: 'init',
      listenQueues: [],
      useListenNotify: false,
      logger: loggerOf(log),
    });
    await DBOS.launch();
    await DBOS.shutdown({ deregister: true });
  } finally {
    await pool.end();
  }
}

/** The queue as one host uses it. One per process, because DBOS is one per process. */
export class Engine {
  readonly #client: DBOSClient;
  readonly #pool: Pool;
  #draining: Promise<void> | undefined;

  private constructor(client: DBOSClient, pool: Pool) {
    this.#client = client;
    this.#pool = pool;
  }

  /** Begins to take runs from the queue of the class; those that this host had before it was killed come first. */
  static async start({ url, host, hostClass, slots, log, work }: EngineOptions): Promise<Engine> {
    const logger = loggerOf(log);
    const pool = poolOf(url, CONNECTIONS);
    const client = await DBOSClient.create({
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      systemDatabaseSchemaName: ENGINE_SCHEMA,
      applicationName: APPLICATION,
      logger,
    });
    const queue = queueOf(hostClass);
    await client.registerQueue(queue, { workerConcurrency: slots, minPollingIntervalMs: POLL_MS });
    DBOS.setConfig({
      name: APPLICATION,
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      systemDatabaseSchemaName: ENGINE_SCHEMA,
      applicationVersion: VERSION,
      executorID: host,
      listenQueues: [queue],
      runMigrations: false,
      useListenNotify: false,
      logger,
    });
    DBOS.registerWorkflow(async (run: string, leg: number) => work(run, leg), {
      name: WORKFLOW,
      maxRecoveryAttempts: 1_000_000,
    });
    await DBOS.launch();
    return new Engine(client, pool);
  }

  /** Hands a leg to a class, as a part of the caller's transaction. */
  async enqueue(sql: ClientBase, run: string, leg: number, hostClass: string): Promise<void> {
    await this.#client.enqueueInTransaction<DoLeg>(
      sql,
      { workflowName: WORKFLOW, workflowID: workflowOf(run, leg), queueName: queueOf(hostClass), appVersion: VERSION },
      run,
      leg,
    );
  }

  /** The legs that a host has begun and not ended. */
  async begunBy(hosts: readonly string[]): Promise<readonly { readonly run: string; readonly leg: number }[]> {
    if (hosts.length === 0) return [];
    const found = await this.#client.listWorkflows({
      status: 'PENDING',
      executorId: [...hosts],
      workflowName: WORKFLOW,
      limit: PAGE,
      loadInput: false,
      loadOutput: false,
    });
    return found.flatMap(({ workflowID }) => legOf(workflowID) ?? []);
  }

  /** What DBOS knows of legs. */
  async statesOf(workflows: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (workflows.length === 0) return new Map();
    const found = await this.#client.listWorkflows({
      workflowIDs: [...workflows],
      loadInput: false,
      loadOutput: false,
    });
    return new Map(found.map(({ workflowID, status }) => [workflowID, status]));
  }

  /** Takes a leg from whoever has it, and hands it to a class. */
  async handOver(run: string, leg: number, hostClass: string): Promise<void> {
    await this.#client.resumeWorkflows([workflowOf(run, leg)], { queueName: queueOf(hostClass) });
  }

  /** Ends legs that nobody has to do any more. */
  async drop(legs: readonly { readonly run: string; readonly leg: number }[]): Promise<void> {
    if (legs.length > 0) await this.#client.cancelWorkflows(legs.map(({ run, leg }) => workflowOf(run, leg)));
  }

  /** Removes legs that ended long ago. */
  async tidy(): Promise<void> {
    const found = await this.#client.listWorkflows({
      status: ['SUCCESS', 'ERROR', 'CANCELLED'],
      workflowName: WORKFLOW,
      completedBefore: new Date(Date.now() - KEPT_MS).toISOString(),
      limit: PAGE,
      loadInput: false,
      loadOutput: false,
    });
    if (found.length > 0) await this.#client.deleteWorkflows(found.map(({ workflowID }) => workflowID));
  }

  /** Takes nothing more, and resolves when all that was begun here has ended. */
  async drain(): Promise<void> {
    this.#draining ??= DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: LONGEST_DRAIN_MS });
    await this.#draining;
  }

  async close(): Promise<void> {
    this.#draining ??= DBOS.shutdown({ deregister: true });
    await this.#draining;
    await this.#client.destroy();
    await this.#pool.end();
  }
}
