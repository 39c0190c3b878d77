/** The companion of a debug session, seen from Tenon: everything that the session starts or connects to goes through it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '@tenon/kernel';
import type { Confinement } from '@tenon/sandbox/api';
import script from './companion.text';
import { GUARD } from './guard.ts';
import { LineReader } from './line-reader.ts';

/** Bytes both ways. Each callback is set once; what came before is kept for it. */
export interface Wire {
  write(bytes: Uint8Array): void;
  onData(take: (bytes: Buffer) => void): void;
  onEnd(take: (reason: string) => void): void;
  close(): void;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it did not even start. */
  readonly error?: string;
}

/** A program that the companion has started. */
export interface Program extends Wire {
  /** As the sandbox counts processes. */
  readonly pid: number;
  onErrorText(take: (bytes: Buffer) => void): void;
  /** Never rejects. */
  readonly ended: Promise<ProgramEnd>;
}

/** What to start. */
export interface ProgramStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Beside the companion's own; null removes one. */
  readonly env?: Readonly<Record<string, string | null>>;
}

/** How a companion is started. */
export interface CompanionOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** How long programs may take to end by themselves, once their input has ended. */
  readonly graceSeconds?: number;
}

const START_MS = 20_000;
const KEPT_ERROR_BYTES = 4 * 1024;

/** One thing that the companion keeps for us, by number. */
class Thing implements Wire {
  readonly id: number;
  readonly #send: (message: object) => void;
  #data: ((bytes: Buffer) => void) | undefined;
  #errorText: ((bytes: Buffer) => void) | undefined;
  #end: ((reason: string) => void) | undefined;
  #early: { readonly stream: string; readonly bytes: Buffer }[] = [];
  #earlyBytes = 0;
  #endReason: string | undefined;
  readonly ended: Promise<ProgramEnd>;
  #resolveEnd: (end: ProgramEnd) => void = () => undefined;
  /** Resolves with the companion's first answer. */
  readonly first: Promise<Record<string, unknown>>;
  #resolveFirst: (answer: Record<string, unknown>) => void = () => undefined;
  /** Resolves when there is a connection, or will never be one. */
  readonly connected: Promise<void>;
  #resolveConnected: () => void = () => undefined;

  constructor(id: number, send: (message: object) => void) {
    this.id = id;
    this.#send = send;
    this.ended = new Promise((resolve) => (this.#resolveEnd = resolve));
    this.first = new Promise((resolve) => (this.#resolveFirst = resolve));
    this.connected = new Promise((resolve) => (this.#resolveConnected = resolve));
  }

  write(bytes: Uint8Array): void {
    if (this.#endReason === undefined)
      this.#send({ op: 'write', id: this.id, data: Buffer.from(bytes).toString('base64') });
  }

  onData(take: (bytes: Buffer) => void): void {
    this.#data = take;
    this.#replay('out', take);
  }

  onErrorText(take: (bytes: Buffer) => void): void {
    this.#errorText = take;
    this.#replay('err', take);
  }

  onEnd(take: (reason: string) => void): void {
    this.#end = take;
    if (this.#endReason !== undefined) take(this.#endReason);
  }

  close(): void {
    this.#send({ op: 'close', id: this.id });
  }

  /** Takes a message of the companion about this thing. */
  take(message: Record<string, unknown>): void {
    if (message['op'] === 'data' && typeof message['data'] === 'string') {
      const bytes = Buffer.from(message['data'], 'base64');
      const stream = message['stream'] === 'err' ? 'err' : 'out';
      const taker = stream === 'err' ? this.#errorText : this.#data;
      if (taker) taker(bytes);
      else this.#keep(stream, bytes);
      return;
    }
    if (message['op'] === 'end') this.finish(endOf(message));
    if (message['op'] === 'connected') this.#resolveConnected();
    this.#resolveFirst(message);
  }

  /** Nothing comes any more. */
  finish(end: ProgramEnd): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = endText(end);
    this.#resolveFirst({ op: 'end', error: this.#endReason });
    this.#resolveConnected();
    this.#resolveEnd(end);
    this.#end?.(this.#endReason);
  }

  #keep(stream: string, bytes: Buffer): void {
    // Nobody listens yet; a program that writes without end must not fill the memory.
    if (this.#earlyBytes > 1024 * 1024) return;
    this.#earlyBytes += bytes.length;
    this.#early.push({ stream, bytes });
  }

  #replay(stream: string, take: (bytes: Buffer) => void): void {
    const mine = this.#early.filter((piece) => piece.stream === stream);
    this.#early = this.#early.filter((piece) => piece.stream !== stream);
    for (const { bytes } of mine) take(bytes);
  }
}

/** Starts programs in one sandbox and connects to them there. */
export class Companion {
  /** Why it ended. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #things = new Map<number, Thing>();
  #count = 0;
  #errorText = '';
  #endReason: string | undefined;
  #whenReady: () => void = () => undefined;

  private constructor(confinement: Confinement, { cwd, env, graceSeconds = 0 }: CompanionOptions) {
    const words = [...confinement.argv, process.execPath, '-e', script];
    const mark = randomBytes(12).toString('hex');
    this.#child = spawn('/bin/sh', ['-c', GUARD, 'tenon-debug', mark, String(graceSeconds), ...words], {
      cwd,
      env: { ...env, ...confinement.env, NODE_OPTIONS: undefined },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const [input, output, errorText, lifeline] = this.#child.stdio;
    for (const stream of [input, lifeline]) stream?.on('error', () => undefined); // Its end is told by `ended`.
    const reader = new LineReader((message) => this.#take(message));
    (output as Readable).on('data', (bytes: Buffer) => {
      try {
        reader.push(bytes);
      } catch (fault) {
        this.#kill(`it cannot be understood: ${messageOf(fault)}`);
      }
    });
    (errorText as Readable).on('data', (bytes: Buffer) => {
      this.#errorText = (this.#errorText + bytes.toString('utf8')).slice(-KEPT_ERROR_BYTES);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (fault) => resolve(`it could not be spawned: ${fault.message}`));
      this.#child.once('close', (code, signal) =>
        resolve(
          this.#endReason ??
            [this.#errorText.trim(), signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`]
              .filter(Boolean)
              .join(': '),
        ),
      );
      // The guard goes on until its pipe is closed: it ends what is left.
      this.#child.once('exit', () => lifeline?.destroy());
    });
    void this.ended.then((reason) => {
      for (const thing of this.#things.values()) thing.finish({ code: null, signal: null, error: reason });
    });
  }

  /** Starts one and waits until it answers. */
  static async start(confinement: Confinement, options: CompanionOptions): Promise<Companion> {
    const companion = new Companion(confinement, options);
    let timer: NodeJS.Timeout | undefined;
    const failed = companion.ended.then((reason) => {
      throw new Error(reason);
    });
    try {
      await Promise.race([
        new Promise<void>((resolve) => (companion.#whenReady = resolve)),
        failed,
        new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error('its sandbox did not start in time')), START_MS);
        }),
      ]);
      return companion;
    } catch (fault) {
      await companion.close();
      throw fault;
    } finally {
      clearTimeout(timer);
      failed.catch(() => undefined); // From now on its end is told by `ended`.
    }
  }

  /** The process that everything of the session descends from. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Starts a program. */
  async start(start: ProgramStart): Promise<Program> {
    const thing = this.#ask({ op: 'start', argv: start.argv, cwd: start.cwd, env: start.env ?? {} });
    const answer = await thing.first;
    if (answer['op'] !== 'started') throw new Error(String(answer['error'] ?? 'it did not start'));
    return Object.assign(thing, { pid: Number(answer['pid']) });
  }

  /** Runs a program to its end; for those that say with it whether they can be used. */
  async succeeds(argv: readonly string[], cwd: string, timeoutMs: number): Promise<boolean> {
    const thing = this.#ask({ op: 'start', argv, cwd, env: {} });
    const timer = setTimeout(() => thing.close(), timeoutMs);
    const end = await thing.ended;
    clearTimeout(timer);
    return end.code === 0;
  }

  /** Connects to a port of the sandbox, or of the machine where nothing is confined. */
  async connect(host: string, port: number, patienceMs: number): Promise<Wire> {
    const thing = this.#ask({ op: 'connect', host, port, patienceMs });
    const answer = await thing.first;
    if (answer['op'] !== 'connected') throw new Error(String(answer['error'] ?? 'the connection was closed'));
    return thing;
  }

  /** Listens for one connection: its port, and what resolves once it has come, or never will. */
  async accept(): Promise<{ readonly port: number; readonly wire: Wire; readonly connected: Promise<void> }> {
    const thing = this.#ask({ op: 'accept' });
    return { port: portOf(await thing.first), wire: thing, connected: thing.connected };
  }

  /** A port that nobody uses. */
  async freePort(): Promise<number> {
    return portOf(await this.#ask({ op: 'port' }).first);
  }

  /** Sends a signal to a process. */
  async signal(pid: number, signal: string): Promise<void> {
    const answer = await this.#ask({ op: 'signal', pid, signal }).first;
    if (answer['error'] !== undefined) throw new Error(String(answer['error']));
  }

  /** Ends it and everything that it has started. */
  async close(): Promise<void> {
    this.#kill('it is not needed any more');
    await this.ended;
  }

  #ask(message: object): Thing {
    const thing = new Thing(++this.#count, (wish) => this.#send(wish));
    if (this.#endReason !== undefined || this.#child.exitCode !== null)
      thing.finish({ code: null, signal: null, error: this.#endReason ?? 'the sandbox has ended' });
    this.#things.set(thing.id, thing);
    void thing.ended.then(() => this.#things.delete(thing.id));
    this.#send({ ...message, id: thing.id });
    return thing;
  }

  #send(message: object): void {
    const input = this.#child.stdin as Writable;
    if (input.writable) input.write(`${JSON.stringify(message)}\n`);
  }

  #take(message: Record<string, unknown>): void {
    if (message['op'] === 'ready') this.#whenReady();
    else this.#things.get(Number(message['id']))?.take(message);
  }

  /** Without its pipe, the guard ends the whole session. */
  #kill(reason: string): void {
    this.#endReason ??= reason;
    this.#child.stdin?.end();
    this.#child.stdio[3]?.destroy();
  }
}

function portOf(answer: Record<string, unknown>): number {
  const port = Number(answer['port']);
  if (!Number.isInteger(port) || port < 1) throw new Error(String(answer['error'] ?? 'there is no free port'));
  return port;
}

function endOf({ code, signal, error }: Record<string, unknown>): ProgramEnd {
  return {
    code: typeof code === 'number' ? code : null,
    signal: typeof signal === 'string' ? signal : null,
    ...(typeof error === 'string' && { error }),
  };
}

function endText({ code, signal, error }: ProgramEnd): string {
  if (error !== undefined) return error;
  if (signal !== null) return `it was ended by ${signal}`;
  return code === null ? 'the connection was closed' : `it ended with exit code ${code}`;
}
