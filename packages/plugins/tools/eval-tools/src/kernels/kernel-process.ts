/** One kernel: a process that runs cells one after the other and keeps what they leave behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { MARK_SCRIPT } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import type { Confinement } from '@tenon/sandbox/api';
import { type CellFault, type KernelFrame, MAX_FRAME_BYTES, parseFrame } from './frames.ts';
import { CellClock } from './cell-clock.ts';
import { MarkedStream } from './text-stream.ts';

/** How a kernel is started. */
export interface KernelStart {
  /** The program and its arguments, without the sandbox. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly confinement: Confinement;
}

/** How one cell is run. */
export interface CellRun {
  readonly code: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Takes in text; while the promise is pending the cell is held back. */
  onText(bytes: Buffer): Promise<void>;
  onDisplay(bundle: Readonly<Record<string, unknown>>): void;
  onStatus(event: Extract<KernelFrame, { type: 'status' }>['event']): void;
  /** Calls a tool for the cell. It never rejects. */
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<{ ok: boolean; text: string }>;
}

/** How a cell ended. */
export interface CellEnd {
  readonly status: 'ok' | 'error' | 'timed-out' | 'cancelled' | 'kernel-ended';
  readonly fault?: CellFault;
  /** Whether the next cell finds what this one left. */
  readonly isKernelAlive: boolean;
  /** Why the kernel ended, when it did. */
  readonly reason?: string;
}

/**
 * Watches a pipe that only Tenon holds the other end of. When Tenon ends, however it ends, everything in this process group does; what
 * is in a sandbox dies with the sandbox. The guard stays outside of it.
 */
const GUARD = `${MARK_SCRIPT}{ while read -r _; do :; done <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;
/** Puts requests and answers on 3 and 4, so that 1 and 2 are free for the text of cells and of programs they start. */
const WIRE = 'exec 3<&0 4>&1 </dev/null >&2; exec "$@"';

const START_MS = 30_000;
/** How long an interrupted cell may take to stop before its kernel is ended. */
const GRACE_MS = 3_000;
const BETWEEN_BYTES = 8 * 1024;

interface Running {
  readonly id: string;
  readonly run: CellRun;
  readonly clock: CellClock;
  readonly stop: AbortController;
  readonly resolve: (end: CellEnd) => void;
  done?: Extract<KernelFrame, { type: 'done' }>;
  isTextOver: boolean;
  stopping?: 'timed-out' | 'cancelled';
  graceTimer?: NodeJS.Timeout;
}

/** A running kernel. */
export class KernelProcess {
  /** Why it ended, in words. Never rejects. */
  readonly ended: Promise<string>;
  /** What the interpreter calls itself. */
  version = '';
  readonly confinement: Confinement;
  readonly #child: ChildProcess;
  readonly #secret: string;
  readonly #requests: Writable;
  #running: Running | undefined;
  #count = 0;
  #between = '';
  #endReason: string | undefined;
  #whenReady: (version: string) => void = () => {};

  private constructor(start: KernelStart, secret: string) {
    this.#secret = secret;
    this.confinement = start.confinement;
    const words = [...start.confinement.argv, '/bin/sh', '-c', WIRE, 'tenon-wire', ...start.command];
    const env = { ...start.env, ...start.confinement.env, TENON_KERNEL_MARK: secret };
    this.#child = spawn('/bin/sh', ['-c', GUARD, 'tenon-kernel', ...words], {
      cwd: start.cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C at the terminal reaches Tenon, which then decides about its kernels.
      detached: true,
    });
    const [requests, answers, text, lifeline] = this.#child.stdio;
    this.#requests = requests as Writable;
    // Both break when the kernel ends; that is reported where it is noticed.
    this.#requests.on('error', () => undefined);
    lifeline?.on('error', () => undefined);
    const reading = Promise.all([this.#readAnswers(answers as Readable), this.#readText(text as Readable)]);
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (fault) => resolve(`it could not be spawned: ${fault.message}`));
      this.#child.once('exit', (code, signal) => {
        // The guard goes on until its pipe is closed, and holds nothing else.
        lifeline?.destroy();
        void reading.then(() =>
          resolve(this.#endReason ?? (signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`)),
        );
      });
    });
    void this.ended.then((reason) => this.#settle({ status: 'kernel-ended', isKernelAlive: false, reason }));
  }

  /** Starts a kernel and waits until it is ready; rejects with the kernel's own words when it does not come up. */
  static async start(start: KernelStart): Promise<KernelProcess> {
    const kernel = new KernelProcess(start, randomBytes(12).toString('hex'));
    const ready = new Promise<string>((resolve) => (kernel.#whenReady = resolve));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('it was not ready in time')), START_MS);
    });
    const failed = kernel.ended.then((reason) => {
      throw new Error([kernel.takeBetween().trim(), reason].filter(Boolean).join(': '));
    });
    try {
      kernel.version = await Promise.race([ready, late, failed]);
      return kernel;
    } catch (fault) {
      kernel.kill('it did not start');
      throw fault;
    } finally {
      clearTimeout(timer);
      failed.catch(() => undefined); // from now on its end is told by `ended`
    }
  }

  /** Whether it can run another cell. */
  get isAlive(): boolean {
    return this.#endReason === undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The process id of the outermost process. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Runs a cell. Never rejects. One at a time. */
  run(run: CellRun): Promise<CellEnd> {
    return new Promise((resolve) => {
      if (!this.isAlive) {
        resolve({ status: 'kernel-ended', isKernelAlive: false, reason: this.#endReason ?? 'it has ended' });
        return;
      }
      const id = String(++this.#count);
      const stop = new AbortController();
      const clock = new CellClock(run.timeoutMs, () => this.#interrupt('timed-out'));
      const cancel = () => this.#interrupt('cancelled');
      this.#running = {
        id,
        run,
        clock,
        stop,
        isTextOver: false,
        resolve: (end) => {
          run.signal.removeEventListener('abort', cancel);
          resolve(end);
        },
      };
      this.#send({ type: 'run', id, code: run.code });
      if (run.signal.aborted) cancel();
      else run.signal.addEventListener('abort', cancel, { once: true });
    });
  }

  /** What was written while no cell ran: by background work of earlier ones, or by a kernel that does not start. */
  takeBetween(): string {
    const text = this.#between;
    this.#between = '';
    return text;
  }

  /** Ends it and everything that it started. */
  async close(reason: string): Promise<void> {
    this.kill(reason);
    await this.ended;
    await this.confinement.dispose();
  }

  /** Ends it at once. */
  kill(reason: string): void {
    this.#endReason ??= reason;
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (fault) {
      // The group is gone already when it ended by itself in this very moment.
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
    }
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#requests.writable) this.#requests.write(`${JSON.stringify(message)}\n`);
  }

  #interrupt(why: 'timed-out' | 'cancelled'): void {
    const running = this.#running;
    if (!running || running.stopping) return;
    running.stopping = why;
    running.clock.stop();
    running.stop.abort();
    this.#send({ type: 'interrupt', id: running.id });
    running.graceTimer = setTimeout(() => this.kill('it did not stop when it was interrupted'), GRACE_MS);
  }

  /** A cell is over when the kernel says so and all of its text has come. */
  #finishWhenOver(): void {
    const { done, isTextOver, stopping } = this.#running ?? {};
    if (!done || !isTextOver) return;
    const status =
      done.status === 'interrupted' || (stopping && done.status === 'error') ? (stopping ?? 'error') : done.status;
    this.#settle({ status, isKernelAlive: true, ...(done.error && { fault: done.error }) });
  }

  #settle(end: CellEnd): void {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    running.clock.stop();
    running.stop.abort();
    clearTimeout(running.graceTimer);
    const isOurs = end.status === 'kernel-ended' && running.stopping !== undefined;
    running.resolve(isOurs ? { ...end, status: running.stopping ?? end.status } : end);
  }

  async #readText(stream: Readable): Promise<void> {
    const marked = new MarkedStream(this.#secret);
    try {
      for await (const chunk of stream) {
        for (const part of marked.push(chunk as Buffer)) {
          if ('text' in part) await this.#takeText(part.text);
          else if (this.#running?.id === part.mark) {
            this.#running.isTextOver = true;
            this.#finishWhenOver();
          }
        }
      }
    } catch (fault) {
      this.kill(`its output could not be read: ${messageOf(fault)}`);
    }
    await this.#takeText(marked.end());
  }

  async #takeText(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const running = this.#running;
    if (running && !running.isTextOver) await running.run.onText(bytes);
    else this.#between = (this.#between + bytes.toString('utf8')).slice(-BETWEEN_BYTES);
  }

  async #readAnswers(stream: Readable): Promise<void> {
    let parts: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of stream) {
        let bytes = chunk as Buffer;
        for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10)) {
          parts.push(bytes.subarray(0, at));
          this.#take(parseFrame(Buffer.concat(parts).toString('utf8')));
          parts = [];
          size = 0;
          bytes = bytes.subarray(at + 1);
        }
        parts.push(bytes);
        size += bytes.length;
        if (size > MAX_FRAME_BYTES) throw new Error('a message is too long');
      }
    } catch (fault) {
      this.kill(`it cannot be understood: ${messageOf(fault)}`);
    }
  }

  #take(frame: KernelFrame | undefined): void {
    if (!frame) return;
    if (frame.type === 'ready') return this.#whenReady(frame.version);
    const running = this.#running;
    if (frame.type === 'tool') return void this.#serveTool(frame, running);
    if (!running || frame.id !== running.id) return;
    if (frame.type === 'display') running.run.onDisplay(frame.bundle);
    else if (frame.type === 'status') running.run.onStatus(frame.event);
    else {
      running.done = frame;
      this.#finishWhenOver();
    }
  }

  async #serveTool(frame: Extract<KernelFrame, { type: 'tool' }>, running: Running | undefined): Promise<void> {
    if (!running || running.id !== frame.id || running.stopping) {
      this.#send({ type: 'reply', call: frame.call, ok: false, text: 'tools can be called only while a cell runs' });
      return;
    }
    const resume = running.clock.pause();
    const reply = await running.run.callTool(frame.name, frame.args, running.stop.signal);
    if (this.#running === running && !running.stopping) resume();
    this.#send({ type: 'reply', call: frame.call, ...reply });
  }
}
