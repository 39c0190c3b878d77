/** One host process: its descriptors, what it prints, and why it ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import type { Logger } from '@tenon/kernel';
import { errors } from './errors.ts';
import type { Launch } from './sandbox/launch.ts';
import { TokenBucket } from './wire/frames.ts';

const MAX_LINE = 2_000;
const KEPT_LINES = 30;
/** Lines of output per second that are worth keeping; a pack that prints more than that is not read by anybody. */
const OUTPUT = { perSecond: 50, burst: 500 };

/** A running host. */
export class HostProcess {
  /** JSON-RPC in both directions. */
  readonly messages: Duplex;
  /** Questions for which the host waits without doing anything else. */
  readonly questions: Duplex;
  /** Why it ended, in words. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #stopReason: string | undefined;

  constructor(launch: Launch, parts: { plugin: string; log: Logger }) {
    this.#child = spawn(launch.file, launch.args, {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      env: launch.env,
      cwd: launch.cwd,
      // A group of its own: Ctrl-C at the terminal reaches Tenon, which then decides about its hosts.
      detached: true,
    });
    const { stdout, stderr, stdio } = this.#child;
    if (!stdout || !stderr || !stdio[3] || !stdio[4]) {
      throw errors.create('PACK_HOST_START_FAILED', {
        plugin: parts.plugin,
        reason: 'its descriptors could not be opened',
      });
    }
    this.messages = stdio[3] as Duplex;
    this.questions = stdio[4] as Duplex;
    this.#capture(stdout, 'stdout', parts.log);
    this.#capture(stderr, 'stderr', parts.log);
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        launch.cleanup();
        resolve(this.#stopReason ?? reason);
      };
      this.#child.once('error', (fault) => end(`it could not be spawned: ${fault.message}`));
      this.#child.once('close', (code, signal) => end(this.#describeEnd(code, signal)));
    });
  }

  /** The process id of the outermost process of the sandbox. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The last lines that it printed. */
  get output(): readonly string[] {
    return this.#lines;
  }

  /** Ends it at once. `reason` is told to everybody who waits for it. */
  stop(reason: string): void {
    this.#stopReason ??= reason;
    this.messages.destroy();
    this.questions.destroy();
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (fault) {
      // The group is gone already when the process ended by itself in this very moment.
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
    }
  }

  #capture(stream: Readable, name: string, log: Logger): void {
    const bucket = new TokenBucket(OUTPUT);
    let dropped = 0;
    let rest = '';
    const line = (text: string) => {
      if (text.trim() === '') return;
      if (!bucket.take()) {
        dropped++;
        return;
      }
      const short = text.slice(0, MAX_LINE);
      if (this.#lines.push(short) > KEPT_LINES) this.#lines.shift();
      log[name === 'stderr' ? 'warn' : 'info'](short, { stream: name });
    };
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(-MAX_LINE);
      for (const logLine of lines) line(logLine);
    });
    stream.on('close', () => {
      line(rest);
      if (dropped > 0) log.warn(`${dropped} more lines of output were dropped`, { stream: name });
    });
  }

  #describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
    const text = this.#lines.join('\n');
    if (/heap out of memory|Reached heap limit|Allocation failed|Cannot allocate memory|ENOMEM/i.test(text)) {
      return 'it used more memory than it may';
    }
    const how = signal ? `signal ${signal}` : `exit code ${code}`;
    const hint =
      this.#lines.findLast((candidate) => /error/i.test(candidate) && !/^\s+at /.test(candidate)) ?? this.#lines.at(-1);
    return hint === undefined ? `it ended by itself (${how})` : `it crashed (${how}): ${hint.trim().slice(0, 300)}`;
  }
}
