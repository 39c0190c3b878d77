/** Starts, watches, stops and restarts the host process of one pack. The rest of Tenon only ever sees its stand-ins. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, type Manifest, messageOf, type Permissions, TenonError } from '@tenon/kernel';
import { Connection, type PackShape } from './connection.ts';
import { errors } from './errors.ts';
import { HostProcess } from './host-process.ts';
import { RestartPolicy } from './restart-policy.ts';
import type { Launch } from './sandbox/launch.ts';
import { PACK_LIMITS, type Violation } from './wire/channel.ts';
import type { Wire } from './wire/marshal.ts';
import { type Method, ownMethod, Peer } from './wire/peer.ts';
import { answerQuestions } from './wire/questions.ts';
import { Watchdog } from './watchdog.ts';

/** A pack that can be run out of process. */
export interface PackToHost {
  readonly manifest: Manifest;
  /** The pack's own folder, which holds its package.json. */
  readonly folder: string;
  /** What the user granted; never more than the manifest asks for. */
  readonly permissions: Permissions;
}

/** Time limits of hosts. */
export interface HostLimits {
  readonly startMs: number;
  readonly callMs: number;
  readonly hangMs: number;
}

/** What the host needs from Tenon once the pack is activated. */
export interface Activation {
  readonly config: unknown;
  /** The services it needs, by the names under which it wants them. */
  readonly needs: Readonly<Record<string, unknown>>;
  /** Answers requests of the pack. */
  methods(connection: Connection): Readonly<Record<string, Method>>;
  /** Answers questions for which the pack waits. */
  questions(connection: Connection): Readonly<Record<string, Method>>;
  /** A new process begins to register. */
  onRestart(): void;
  /** Tells the user that the pack was stopped. */
  report(error: TenonError): void;
}

/** Where a host is in its life. */
export interface HostStatus {
  readonly state: 'stopped' | 'starting' | 'running' | 'gave up';
  readonly failures: number;
  readonly lastFailure?: string;
  readonly output: readonly string[];
  readonly pid?: number;
}

const MAX_PENDING = 256;
const DISPOSE_MS = 3_000;
const UNUSED_MS = 10_000;
const CLOSE_GRACE_MS = 1_000;

/** The host of one pack, across restarts. */
export class PackHost {
  readonly pack: PackToHost;
  readonly #parts: { limits: HostLimits; log: Logger; launch: () => Promise<Launch> };
  readonly #restarts: RestartPolicy;
  #connection: Promise<Connection> | undefined;
  #current: Connection | undefined;
  #activation: Activation | undefined;
  #lastFailure: string | undefined;
  #lastOutput: readonly string[] = [];
  #stopped = false;

  constructor(
    pack: PackToHost,
    parts: {
      limits: HostLimits;
      log: Logger;
      launch: () => Promise<Launch>;
      restarts?: RestartPolicy;
    },
  ) {
    this.pack = pack;
    this.#parts = parts;
    this.#restarts = parts.restarts ?? new RestartPolicy();
  }

  /** What is going on, for `plugin inspect`. */
  status(): HostStatus {
    const gaveUp = this.#restarts.waitMs() === undefined;
    const state = this.#current ? 'running' : this.#connection ? 'starting' : gaveUp ? 'gave up' : 'stopped';
    const pid = this.#current?.process.pid;
    return {
      state,
      failures: this.#restarts.count,
      output: this.#current?.process.output ?? this.#lastOutput,
      ...(this.#lastFailure !== undefined && { lastFailure: this.#lastFailure }),
      ...(pid !== undefined && { pid }),
    };
  }

  /** Starts the host if need be and gives what the pack's code says about itself. */
  async shape(): Promise<PackShape> {
    const connection = await this.#connect();
    const timer = setTimeout(() => {
      // Somebody only wanted to know its tokens; it starts again when it is really needed.
      if (connection.activated === undefined) connection.stopUnused();
    }, UNUSED_MS);
    timer.unref();
    return connection.shape;
  }

  /** Activates the pack: from now on a restarted host is activated again by itself. */
  async activate(activation: Activation): Promise<void> {
    this.#stopped = false;
    this.#activation = activation;
    await this.use();
  }

  /** The connection to an activated host; starts it if it is down. `enough` may be content with one that is activating. */
  async use(enough: (connection: Connection) => boolean = () => false): Promise<Connection> {
    const connection = await this.#connect();
    if (!connection.activated) {
      connection.activated = this.#activate(connection);
      // Not everybody waits for it; those who do hear of its failure all the same.
      connection.activated.catch(() => undefined);
    }
    if (!enough(connection)) await connection.activated;
    return connection;
  }

  /** Lets the pack clean up, then ends its process. Gives what went wrong in the clean-up. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#activation = undefined;
    const connection = this.#current;
    try {
      await connection?.peer.request('dispose', [], {
        deadlineMs: DISPOSE_MS,
        onDeadline: () => new Error(`its clean-up did not finish within ${DISPOSE_MS / 1_000} s`),
      });
    } catch (fault) {
      // A process that ends in this very moment has nothing left to clean up; why it ended is worth a line in the log.
      if (!(fault instanceof TenonError && fault.code === 'PACK_HOST_STOPPED')) throw fault;
      this.#parts.log.warn(fault.message);
    } finally {
      connection?.process.stop('it was unloaded');
      await connection?.process.ended;
    }
  }

  #connect(): Promise<Connection> {
    if (!this.#connection) {
      const opening = this.#open();
      this.#connection = opening;
      opening.catch(() => {
        if (this.#connection === opening) this.#connection = undefined;
      });
    }
    return this.#connection;
  }

  async #open(): Promise<Connection> {
    const { plugin } = this;
    const wait = this.#restarts.waitMs();
    if (wait === undefined) {
      const details = {
        plugin,
        count: this.#restarts.count,
        minutes: this.#restarts.windowMinutes,
        reason: this.#lastFailure,
      };
      throw errors.create('PACK_HOST_GAVE_UP', details);
    }
    if (wait > 0) await sleep(wait);
    this.#assertWanted();
    const launch = await this.#parts.launch();
    const process = new HostProcess(launch, { plugin, log: this.#parts.log });
    // Stopped while it was being prepared: nobody else knows this process, so it ends here.
    if (this.#stopped) process.stop('it was unloaded');
    this.#assertWanted();
    const connection = this.#talk(process);
    this.#current = connection;
    void process.ended.then((reason) => this.#onEnd(connection, reason));
    await this.#withinStart(connection, connection.shape);
    return connection;
  }

  #assertWanted(): void {
    if (this.#stopped) throw errors.create('PACK_HOST_STOPPED', { plugin: this.plugin, reason: 'it was unloaded' });
  }

  #talk(process: HostProcess): Connection {
    const { plugin } = this;
    const { log, limits } = this.#parts;
    let isReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    const onViolation = (kind: Violation, reason: string) =>
      process.stop(kind === 'protocol' ? errors.create('PACK_HOST_PROTOCOL', { plugin, reason }).message : reason);
    const method = (kind: 'methods' | 'questions') => (name: string) =>
      ownMethod(this.#activation?.[kind](connection), name);
    const watchdog: Watchdog = new Watchdog(limits.hangMs, {
      ping: () => peer.notify('ping', []),
      onHang: () => process.stop(peer.floodReason ?? `it did not answer for ${limits.hangMs / 1_000} s`),
    });
    const peer: Peer = new Peer({
      stream: process.messages,
      limits: PACK_LIMITS,
      maxPending: MAX_PENDING,
      plugin,
      stacks: false,
      method: method('methods'),
      notices: { ready: () => isReady(), pong: () => watchdog.pong(), log: (params) => writeLog(log, params) },
      onBusy: (busy) => watchdog.watch(busy),
      onViolation,
      // A host whose channel is gone is of no use; if it is ending by itself, its own reason comes first.
      onClose: () => setTimeout(() => process.stop('it closed its connection'), CLOSE_GRACE_MS).unref(),
    });
    answerQuestions(process.questions, { limits: PACK_LIMITS, peer, method: method('questions'), onViolation });
    const { manifest, folder } = this.pack;
    const { settings: _settings, permissions: _permissions, ...facts } = manifest;
    const shape = ready.then(() => peer.request('load', [{ manifest: facts, folder }]) as Promise<PackShape>);
    // Whoever asked for the shape hears of a failure; a host that dies before anybody asks is reported by its end.
    shape.catch(() => undefined);
    const connection: Connection = new Connection({ process, peer, shape, callMs: limits.callMs, plugin, watchdog });
    return connection;
  }

  async #activate(connection: Connection): Promise<void> {
    const activation = this.#activation;
    if (!activation) throw errors.create('PACK_HOST_STOPPED', { plugin: this.plugin, reason: 'it is not active' });
    activation.onRestart();
    const { config, needs } = activation;
    // References to services last as long as the process, not only as long as this call.
    const kept = Object.entries(needs).map(([name, value]): Wire[] => [name, connection.peer.marshalKept(value)]);
    const done = connection.peer.request('activate', [config, JSON.stringify(kept)]);
    await this.#withinStart(connection, done);
    connection.watchdog.arm();
  }

  /** Ends a process that does not get ready in time, or that fails to. */
  async #withinStart(connection: Connection, done: Promise<unknown>): Promise<void> {
    const { startMs } = this.#parts.limits;
    const timer = setTimeout(() => connection.process.stop(`it did not start within ${startMs / 1_000} s`), startMs);
    try {
      await Promise.race([done, this.#endOf(connection)]);
    } catch (fault) {
      connection.process.stop(`it could not be started: ${messageOf(fault)}`);
      await connection.process.ended;
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  async #endOf({ process }: Connection): Promise<never> {
    const reason = await process.ended;
    throw errors.create('PACK_HOST_START_FAILED', { plugin: this.plugin, reason });
  }

  #onEnd(connection: Connection, reason: string): void {
    const error = errors.create('PACK_HOST_STOPPED', { plugin: this.plugin, reason });
    connection.peer.close(error);
    if (this.#current === connection) {
      this.#current = undefined;
      this.#connection = undefined;
      this.#lastOutput = [...connection.process.output];
    }
    if (this.#stopped || connection.isUnused) return;
    this.#lastFailure = reason;
    this.#restarts.failed();
    this.#parts.log.error(error.message, { output: connection.process.output.slice(-5) });
    this.#activation?.report(error);
  }

  get plugin(): string {
    return this.pack.manifest.id;
  }
}

function writeLog(log: Logger, [level, message, fields]: Wire[]): void {
  const write = level === 'debug' || level === 'info' || level === 'warn' || level === 'error' ? log[level] : log.info;
  const isFields = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  write(String(message), isFields ? fields : undefined);
}
