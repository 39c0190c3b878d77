/** One agent in a process of its own, spoken to by the RPC protocol. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { RpcCommandName, RpcData, RpcParams } from '@tenon/rpc-mode/api';
import { messageOf } from '@tenon/kernel';
import { plainText } from '@tenon/wording';
import { errors } from '../errors.ts';

/** Something that the agent's process said by itself. */
export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

/** How the process is started. */
export interface RpcOrder {
  /** The words that start Tenon. */
  readonly program: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  onFrame(frame: Frame): void;
  /** Told once, with its last words. */
  onEnd(reason: string): void;
}

interface Waiting {
  resolve(data: unknown): void;
  reject(reason: unknown): void;
}

const LAST_WORDS = 2_000;
const STOP_MS = 5_000;

/** The process. */
export class RpcProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #order: RpcOrder;
  readonly #ended: Promise<void>;
  #lastWords = '';
  #count = 0;
  #end: string | undefined;

  constructor(order: RpcOrder) {
    this.#order = order;
    const [command, ...first] = order.program;
    this.#child = spawn(command, [...first, '--mode', 'rpc', ...order.args], {
      cwd: order.cwd,
      env: order.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS);
    });
    // Its end is told by `close`.
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stdout, crlfDelay: Infinity }).on('line', (line) => this.#take(line));
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (fault) => this.#over(fault.message, resolve));
      this.#child.once('close', (code, signal) => this.#over(`exit ${code ?? signal}`, resolve));
    });
  }

  /** Why it has ended; undefined while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  /** Sends a command and gives its answer. A refusal is an error with the words of the agent. */
  call<N extends RpcCommandName>(type: N, params: RpcParams<N>): Promise<RpcData<N>> {
    if (this.#end !== undefined) return Promise.reject(errors.create('WEB_SESSION_FAILED', { reason: this.#end }));
    const id = `web_${++this.#count}`;
    return new Promise<RpcData<N>>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (data) => resolve(data as RpcData<N>), reject });
      this.send({ ...params, id, type });
    });
  }

  /** Sends a frame that has no answer. */
  send(frame: Readonly<Record<string, unknown>>): void {
    this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  /** Ends it at once. */
  kill(reason: string): void {
    this.#lastWords = `${this.#lastWords}\n${reason}`;
    this.#child.kill('SIGKILL');
  }

  /** Lets it finish what it writes, then ends it. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #over(reason: string, resolve: () => void): void {
    if (this.#end === undefined) {
      const words = plainText(this.#lastWords).trim();
      this.#end = words === '' ? reason : `${reason}: ${words}`;
      const fault = errors.create('WEB_SESSION_FAILED', { reason: this.#end });
      for (const { reject } of this.#waiting.values()) reject(fault);
      this.#waiting.clear();
      this.#order.onEnd(this.#end);
    }
    resolve();
  }

  #take(line: string): void {
    let frame: Frame;
    try {
      frame = frameOf(line);
    } catch {
      // Only a broken installation writes anything else to this stream; it is part of the last words then.
      this.#lastWords = `${this.#lastWords}\n${line}`.slice(-LAST_WORDS);
      return;
    }
    const { type, id, success, error, data } = frame;
    if (type !== 'response') return this.#tell(frame);
    const waiting = typeof id === 'string' ? this.#waiting.get(id) : undefined;
    if (success === false) {
      const reason = String(error);
      if (waiting) waiting.reject(errors.create('WEB_COMMAND_REFUSED', { reason }));
      // The second answer of a prompt: the work itself has failed.
      else this.#tell({ type: 'command_failed', command: frame['command'], error: reason });
    } else waiting?.resolve(data);
    if (typeof id === 'string') this.#waiting.delete(id);
  }

  /** A frame that cannot be taken ends this agent: the others, and the server, go on. */
  #tell(frame: Frame): void {
    try {
      this.#order.onFrame(frame);
    } catch (fault) {
      this.kill(`it sent a "${frame.type}" that cannot be read: ${messageOf(fault)}`);
    }
  }
}

function frameOf(line: string): Frame {
  const value: unknown = JSON.parse(line);
  if (typeof (value as Partial<Frame> | null)?.type !== 'string') throw new Error('no frame');
  return value as Frame;
}
