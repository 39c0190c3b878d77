/** The servers that run, one for each project and program, shared by all sessions of this process. */
import type { Folders } from '@tenon/host';
import { type Logger, messageOf, TenonError } from '@tenon/kernel';
import type { Sandboxes } from '@tenon/sandbox/api';
import { errors } from '../errors.ts';
import type { LspSettings } from '../generated/settings.ts';
import { confine } from './confine.ts';
import type { FittingServer } from './fit.ts';
import { LanguageServer } from './language-server.ts';
import type { FoundProgram } from './program.ts';
import { ServerProcess } from './server-process.ts';

/** What the pool needs of the rest of Tenon. */
export interface PoolHost {
  readonly folders: Folders;
  readonly config: LspSettings;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
  sandboxes(): Promise<Sandboxes | undefined>;
}

/** A server that ended without being asked to. */
interface Failure {
  readonly times: number;
  readonly at: number;
  readonly reason: string;
}

/** A server that lived this long has not failed at its start. */
const STABLE_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
const SWEEP_MS = 15_000;

/** A server as `status` shows it. */
export interface RunningServer {
  readonly name: string;
  readonly root: string;
  readonly pid: number | undefined;
  readonly state: 'starting' | 'running' | 'failed';
  readonly reason?: string;
}

/** The servers that run. */
export class ServerPool {
  readonly #host: PoolHost;
  readonly #servers = new Map<string, Promise<LanguageServer>>();
  readonly #live = new Map<string, LanguageServer>();
  readonly #failures = new Map<string, Failure>();
  #sweep: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(host: PoolHost) {
    this.#host = host;
  }

  /** The server that runs already. */
  running({ name, root }: Pick<FittingServer, 'name' | 'root'>): LanguageServer | undefined {
    const server = this.#live.get(keyOf(name, root));
    return server?.isAlive ? server : undefined;
  }

  /** All servers that run. */
  all(): readonly LanguageServer[] {
    return [...this.#live.values()].filter((server) => server.isAlive);
  }

  /** The server for a project; starts it when it does not run. */
  async get(fitting: FittingServer, program: FoundProgram): Promise<LanguageServer> {
    if (this.#closed) throw errors.create('LSP_CLOSED');
    const key = keyOf(fitting.name, fitting.root);
    const known = this.#live.get(key);
    if (known?.isAlive) return known;
    const starting = this.#servers.get(key);
    if (starting) return starting;
    this.#refuseEarly(key, fitting.name);
    const started = this.#start(key, fitting, program);
    this.#servers.set(key, started);
    try {
      return await started;
    } finally {
      this.#servers.delete(key);
    }
  }

  /** What runs, starts or has failed. */
  list(): readonly RunningServer[] {
    const split = (key: string) => ({ name: key.slice(0, key.indexOf(' ')), root: key.slice(key.indexOf(' ') + 1) });
    const live = [...this.#live].filter(([, server]) => server.isAlive);
    return [
      ...live.map(([key, { process }]) => ({ ...split(key), pid: process.pid, state: 'running' as const })),
      ...[...this.#servers.keys()].map((key) => ({ ...split(key), pid: undefined, state: 'starting' as const })),
      ...[...this.#failures]
        .filter(([key]) => !this.#live.get(key)?.isAlive && !this.#servers.has(key))
        .map(([key, { reason }]) => ({ ...split(key), pid: undefined, state: 'failed' as const, reason })),
    ];
  }

  /** Stops a server, if it runs, and forgets that it has failed. */
  async stop({ name, root }: Pick<FittingServer, 'name' | 'root'>, reason: string): Promise<boolean> {
    const key = keyOf(name, root);
    this.#failures.delete(key);
    const server = this.#live.get(key);
    this.#live.delete(key);
    await server?.stop(reason);
    return server !== undefined;
  }

  /** Stops all servers, for good. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    await Promise.allSettled(this.#servers.values());
    // At once: nothing that a server holds is worth waiting for when Tenon ends.
    const servers = [...this.#live.values()];
    for (const { process } of servers) process.kill('Tenon ends');
    await Promise.all(servers.map(({ process }) => process.ended));
    this.#live.clear();
  }

  #refuseEarly(key: string, server: string): void {
    const failure = this.#failures.get(key);
    if (!failure) return;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** (failure.times - 1), LONGEST_WAIT_MS);
    const left = failure.at + wait - Date.now();
    // The first end may be an accident; from the second on, time has to pass.
    if (failure.times < 2 || left <= 0) return;
    const { times, reason } = failure;
    throw errors.create('LSP_WAITS', { server, times, reason, seconds: Math.ceil(left / 1000) });
  }

  async #start(key: string, fitting: FittingServer, program: FoundProgram): Promise<LanguageServer> {
    const started = Date.now();
    try {
      const server = await this.#connect(fitting, program);
      this.#live.set(key, server);
      const sweepMs = Math.min(SWEEP_MS, (this.#host.config.idleMinutes * 60_000) / 2);
      this.#sweep ??= setInterval(() => this.#stopIdle(), sweepMs).unref();
      void server.process.ended.then((reason) => this.#ended(key, server, reason, started));
      if (this.#closed) server.process.kill('Tenon ends');
      return server;
    } catch (fault) {
      const reason =
        fault instanceof TenonError && fault.code === 'LSP_ENDED' ? String(fault.details['reason']) : messageOf(fault);
      this.#failed(key, reason);
      throw errors.create('LSP_START_FAILED', { server: fitting.name, reason }, fault);
    }
  }

  async #connect({ name, data, root }: FittingServer, program: FoundProgram): Promise<LanguageServer> {
    const { log } = this.#host;
    const { confinement, env } = await confine(this.#host, { name, data, root }, program.reads);
    log.debug(`starting the language server ${name} for ${root}`);
    const command = [...program.words, ...(data.args ?? [])];
    const process = new ServerProcess({ command, cwd: root, env, confinement });
    return LanguageServer.connect({ name, data, root }, process);
  }

  #ended(key: string, server: LanguageServer, reason: string, started: number): void {
    // Those that end because Tenon does have not failed.
    if (this.#closed || this.#live.get(key) !== server) return;
    this.#live.delete(key);
    if (Date.now() - started > STABLE_MS) this.#failures.delete(key);
    this.#failed(key, reason);
  }

  #failed(key: string, reason: string): void {
    this.#host.log.warn(`language server ${key}: ${reason}`);
    this.#failures.set(key, { times: (this.#failures.get(key)?.times ?? 0) + 1, at: Date.now(), reason });
  }

  #stopIdle(): void {
    const limit = this.#host.config.idleMinutes * 60_000;
    for (const [key, server] of this.#live) {
      if (server.isInUse || Date.now() - server.lastUsed < limit) continue;
      this.#live.delete(key);
      void server.stop('nobody has used it for a while');
    }
    if (this.#live.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}

function keyOf(name: string, root: string): string {
  return `${name} ${root}`;
}
