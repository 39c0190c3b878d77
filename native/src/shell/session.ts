/**
 * The contract over an engine, native or JavaScript: promises, back-pressure, background output. What both
 * implementations share is written once, here.
 */
import { randomBytes } from 'node:crypto';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type {
  PtyEngine,
  PtyEngineOptions,
  RunRequest,
  SessionEngine,
  SessionEngineOptions,
  ShellEngineEvent,
} from './addon.ts';
import { BackgroundTail } from './background-tail.ts';
import type {
  OutputChunk,
  PtyOptions,
  PtySession,
  RunOptions,
  RunResult,
  SessionOptions,
  ShellAccelerator,
  ShellSession,
} from './contract.ts';

/** Makes engines of one implementation. */
export interface ShellEngines {
  openSession(options: SessionEngineOptions, onEvent: (event: ShellEngineEvent) => void): SessionEngine;
  openPty(options: PtyEngineOptions, onEvent: (event: ShellEngineEvent) => void): PtyEngine;
}

const DEFAULT_GRACE_MS = 500;
/** How long a background process may take to follow SIGTERM. */
const BACKGROUND_GRACE_MS = 1000;
const BACKGROUND_LOOK_MS = 10;
/** The longest delay a Node timer takes; far longer than any session. */
const FOREVER_MS = 2 ** 31 - 1;

/** The accelerator over an engine. */
export function overEngines(engines: ShellEngines): ShellAccelerator {
  return {
    openSession: (options = {}) => new Session(engines, options),
    openPty: (options) => new Terminal(engines, options),
  };
}

interface Running {
  readonly onOutput: RunOptions['onOutput'];
  readonly resolve: (result: RunResult) => void;
  readonly reject: (error: Error) => void;
  readonly dispose: () => void;
}

class Session implements ShellSession {
  readonly #engine: SessionEngine;
  readonly #running = new Map<number, Running>();
  readonly #tail = new BackgroundTail();
  readonly #closed: Promise<void>;
  readonly #delivery = new Delivery((receipt) => this.#engine.release(receipt));
  #settleClosed: () => void = () => {};
  #closedReason: string | undefined;
  #nextId = 1;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(engines: ShellEngines, options: SessionOptions) {
    this.#closed = new Promise((resolve) => (this.#settleClosed = resolve));
    const folder = options.folder ?? join(tmpdir(), `tenon-shell-${randomBytes(9).toString('base64url')}`);
    this.#engine = engines.openSession(
      {
        bash: options.bash ?? 'bash',
        wrap: [...(options.wrap?.(folder) ?? [])],
        cwd: options.cwd ?? process.cwd(),
        env: definedOnly(options.env ?? process.env),
        ...(options.snapshot === undefined ? {} : { snapshot: options.snapshot }),
        folder,
        separateStderr: options.output === 'separate',
        graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
      },
      (event) => this.#onEvent(event),
    );
  }

  get closedReason(): string | undefined {
    return this.#closedReason;
  }

  run(command: string, options: RunOptions = {}): Promise<RunResult> {
    return new Promise<RunResult>((resolve, reject) => {
      if (this.#closedReason !== undefined) throw closedError(this.#closedReason);
      const id = this.#nextId++;
      const { signal } = options;
      const cancel = (): void => this.#engine.cancel(id);
      this.#engine.run(requestOf(id, command, options));
      this.#running.set(id, {
        onOutput: options.onOutput,
        resolve,
        reject,
        dispose: () => signal?.removeEventListener('abort', cancel),
      });
      this.#keepAlive ??= setInterval(() => {}, FOREVER_MS);
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  background(): { pid: number; command: string }[] {
    return this.#closedReason === undefined ? this.#engine.background() : [];
  }

  async endBackground(pid: number): Promise<boolean> {
    const { SIGTERM, SIGKILL } = constants.signals;
    if (this.#closedReason !== undefined || !this.#engine.signalBackground(pid, SIGTERM)) return false;
    const deadline = Date.now() + BACKGROUND_GRACE_MS;
    while (this.background().some((process) => process.pid === pid)) {
      if (Date.now() > deadline) this.#engine.signalBackground(pid, SIGKILL);
      await sleep(BACKGROUND_LOOK_MS);
    }
    return true;
  }

  takeBackgroundOutput(): { bytes: Uint8Array; dropped: number } {
    return this.#tail.take();
  }

  async close(): Promise<void> {
    if (this.#closedReason === undefined) {
      this.#closedReason = 'the session was closed';
      this.#engine.close();
      // A command that the closing kills must not look as if it had ended by itself, whichever report comes first.
      this.#endAll(this.#closedReason);
    }
    // The engine's callback alone would not keep the process for the time that killing takes.
    this.#keepAlive ??= setInterval(() => {}, FOREVER_MS);
    await this.#closed;
    this.#release();
  }

  #onEvent(event: ShellEngineEvent): void {
    if (event.kind === 'output') this.#onOutput(event);
    else if (event.kind === 'done') this.#delivery.afterwards(() => this.#onDone(event));
    else this.#onClosed(event.text ?? 'the session ended');
  }

  #onOutput(event: ShellEngineEvent): void {
    const bytes = event.data ?? Buffer.alloc(0);
    const receipt = event.receipt ?? 0;
    const chunk: OutputChunk = { bytes, stream: event.stream ?? 'merged' };
    const running = this.#running.get(event.command);
    if (!running) this.#tail.push(Buffer.from(bytes));
    this.#delivery.deliver(receipt, running?.onOutput && (() => running.onOutput?.(chunk)), (error) => {
      // A consumer that throws gets its error from `run`; the command must not go on unheard.
      this.#settle(event.command)?.reject(error);
      this.#engine.cancel(event.command);
    });
  }

  #onDone(event: ShellEngineEvent): void {
    this.#settle(event.command)?.resolve({
      exitCode: event.status ?? null,
      outcome: event.outcome ?? 'exited',
      shell: event.shell ?? 'fresh',
      cwd: event.text ?? '/',
      ...(event.switchedOff === true && { switchedOff: true }),
    });
  }

  #onClosed(reason: string): void {
    this.#closedReason ??= reason;
    this.#endAll(reason);
    this.#release();
    this.#settleClosed();
  }

  #endAll(reason: string): void {
    for (const id of [...this.#running.keys()]) this.#settle(id)?.reject(closedError(reason));
  }

  #settle(id: number): Running | undefined {
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.dispose();
    // While it closes, a command that was killed may still report; the process must stay until the shell is gone.
    if (this.#running.size === 0 && this.#closedReason === undefined) this.#release();
    return running;
  }

  #release(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }
}

/**
 * Hands chunks to a consumer one after the other and releases each when the consumer is done with it. As long as
 * no consumer answers with a promise, everything happens at once and nothing is queued.
 */
class Delivery {
  readonly #release: (receipt: number) => void;
  #pending: Promise<void> | undefined;

  constructor(release: (receipt: number) => void) {
    this.#release = release;
  }

  deliver(receipt: number, consume: (() => void | Promise<void>) | undefined, fail: (error: Error) => void): void {
    this.afterwards(() => {
      try {
        const busy = consume?.();
        if (busy instanceof Promise)
          return busy.catch((error: unknown) => fail(toError(error))).then(() => this.#release(receipt));
      } catch (error) {
        fail(toError(error));
      }
      this.#release(receipt);
      return undefined;
    });
  }

  /** Runs `step` after everything delivered so far was consumed. */
  afterwards(step: () => void | Promise<void>): void {
    const result = this.#pending ? this.#pending.then(step) : step();
    if (!(result instanceof Promise)) return;
    const pending = result.finally(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    this.#pending = pending;
  }
}

class Terminal implements PtySession {
  readonly #engine: PtyEngine;
  readonly #delivery = new Delivery((receipt) => this.#engine.release(receipt));
  readonly exit: Promise<{ exitCode: number | null }>;

  constructor(engines: ShellEngines, options: PtyOptions) {
    let settle: (exit: { exitCode: number | null }) => void = () => {};
    const keepAlive = setInterval(() => {}, FOREVER_MS);
    this.exit = new Promise((resolve) => (settle = resolve));
    const { onOutput } = options;
    const onEvent = (event: ShellEngineEvent): void => {
      const { data } = event;
      if (event.kind === 'output' && data) {
        // A consumer that throws has no promise to get its error from; closing the terminal ends what it ignores.
        this.#delivery.deliver(event.receipt ?? 0, onOutput && (() => onOutput(data)), () => this.#engine.close());
      } else if (event.kind === 'exit') {
        this.#delivery.afterwards(() => {
          clearInterval(keepAlive);
          settle({ exitCode: event.status ?? null });
        });
      }
    };
    try {
      this.#engine = engines.openPty(
        {
          bash: options.bash ?? 'bash',
          program: [...options.program],
          cwd: options.cwd ?? process.cwd(),
          env: definedOnly({ TERM: 'xterm-256color', ...(options.env ?? process.env) }),
          columns: options.columns ?? 80,
          rows: options.rows ?? 24,
        },
        onEvent,
      );
    } catch (error) {
      clearInterval(keepAlive);
      throw error;
    }
  }

  write(data: string | Uint8Array): boolean {
    return this.#engine.write(typeof data === 'string' ? Buffer.from(data) : data);
  }

  resize(columns: number, rows: number): void {
    this.#engine.resize(columns, rows);
  }

  signal(name: NodeJS.Signals): void {
    this.#engine.signal(constants.signals[name]);
  }

  async close(): Promise<void> {
    this.#engine.close();
    await this.exit;
  }
}

function requestOf(id: number, command: string, options: RunOptions): RunRequest {
  return {
    id,
    command,
    ...(options.env === undefined ? {} : { env: { ...options.env } }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: Math.min(Math.max(0, options.timeoutMs), FOREVER_MS) }),
  };
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) defined[name] = value;
  return defined;
}

function closedError(reason: string): Error {
  return new Error(`the shell session is over (${reason}): open a new one`);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
