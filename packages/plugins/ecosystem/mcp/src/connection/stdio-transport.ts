/**
 * A server that is a program of this machine, spoken to by its standard streams. It runs in a process group of its own together with
 * a guard, which ends the whole group when Tenon is gone, however Tenon ended.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { MARK_SCRIPT } from '@tenon/host';

/** How a program is started. */
export interface StdioProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Takes in what it prints on standard error. */
  onStderr(text: string): void;
}

/**
 * Reads a pipe whose other end only Tenon holds; when that end is closed, everything in the process group ends. The server itself
 * takes the place of the shell, so that it is the leader of the group.
 */
const GUARD = `${MARK_SCRIPT}{ while read -r _; do :; done <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

/** A message of a server must not fill the memory. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const GRACE_MS = 500;
const COMMAND_NOT_FOUND = 127;
const HAS_GROUPS = process.platform !== 'win32';

/** Speaks with one program. It is started at once, so that it can get ready while the protocol's code is still being loaded. */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T) => void) | undefined;
  /** Why it ended, in words. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #decoder = new StringDecoder('utf8');
  #parts: string[] = [];
  #size = 0;
  #isStarted = false;
  #isOver = false;
  #isClosing = false;

  constructor(program: StdioProgram) {
    const words = [program.command, ...program.args];
    const options = { cwd: program.cwd, env: program.env, detached: HAS_GROUPS, windowsHide: true };
    this.#child = HAS_GROUPS
      ? spawn('/bin/sh', ['-c', GUARD, 'tenon-mcp', ...words], { ...options, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
      : spawn(program.command, [...program.args], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    const [input, output, errors, lifeline] = this.#child.stdio;
    // They break when the program ends, which is noticed by its end.
    (input as Writable).on('error', () => undefined);
    lifeline?.on('error', () => undefined);
    const text = new StringDecoder('utf8');
    (errors as Readable).on('data', (chunk: Buffer) => program.onStderr(text.write(chunk)));
    (output as Readable).pause();
    (output as Readable).on('data', (chunk: Buffer) => this.#take(chunk));
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (fault) => {
        this.#end();
        resolve(fault.message);
      });
      this.#child.once('exit', (code, signal) => {
        this.#killGroup('SIGKILL'); // the guard, and whatever the program left behind
        lifeline?.destroy();
        this.#end();
        resolve(reasonOf(program.command, code, signal));
      });
    });
  }

  /** The leader of the process group. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  async start(): Promise<void> {
    if (this.#isOver) throw new Error(await this.ended);
    this.#isStarted = true;
    this.#child.stdout?.resume();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child;
    if (this.#isOver || !stdin?.writable) return this.ended.then((reason) => Promise.reject(new Error(reason)));
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (fault) =>
        fault ? void this.#whyBroken(fault).then(reject) : resolve(),
      );
    });
  }

  /** A pipe breaks just before the program's end is known, which says more. */
  async #whyBroken(fault: Error): Promise<Error> {
    return (await this.#endsWithin(GRACE_MS)) ? new Error(await this.ended) : fault;
  }

  #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
    return Promise.race([this.ended.then(() => true), late]).finally(() => clearTimeout(timer));
  }

  /** Ends the program: politely, then not. */
  async close(): Promise<void> {
    if (this.#isOver || this.#isClosing) return void (await this.ended);
    this.#isClosing = true;
    this.#child.stdin?.end();
    if (await this.#endsWithin(GRACE_MS)) return;
    this.#killGroup('SIGTERM');
    if (await this.#endsWithin(GRACE_MS)) return;
    this.#killGroup('SIGKILL');
    await this.ended;
  }

  /** Ends it at once, with all that it started. */
  kill(): void {
    this.#killGroup('SIGKILL');
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isStarted) this.onclose?.();
  }

  #killGroup(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (HAS_GROUPS) process.kill(-pid, signal);
      else this.#child.kill(signal);
    } catch (fault) {
      // The group is gone already when it ended by itself in this very moment.
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
    }
  }

  #take(chunk: Buffer): void {
    const lines = this.#decoder.write(chunk).split('\n');
    for (const [index, line] of lines.entries()) {
      this.#parts.push(line);
      this.#size += line.length;
      if (this.#size > MAX_MESSAGE_BYTES) {
        this.onerror?.(new Error(`a message is longer than ${MAX_MESSAGE_BYTES} bytes`));
        this.#killGroup('SIGKILL');
        return;
      }
      if (index === lines.length - 1) break;
      const text = this.#parts.join('').trim();
      this.#parts = [];
      this.#size = 0;
      if (text !== '') this.#receive(text);
    }
  }

  #receive(text: string): void {
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(text) as JSONRPCMessage;
    } catch {
      // Some programs greet on standard output before they speak the protocol.
      this.onerror?.(new Error(`it printed something that is not a message: ${text.slice(0, 200)}`));
      return;
    }
    this.onmessage?.(message);
  }
}

function reasonOf(command: string, code: number | null, signal: NodeJS.Signals | null): string {
  if (code === COMMAND_NOT_FOUND) return `the command "${command}" was not found`;
  return signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
}
