/** Speaks with a Tenon in another process: lines of JSON over its standard input and output. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A frame of the other side. Everything in it is hostile until it was looked at. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What to start. */
export interface LinkOrder {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  frame(frame: Frame): void;
}

/** A line that is longer has lost its sense. */
const MAX_LINE = 16 * 1024 * 1024;
const MAX_ERRORS = 8 * 1024;

/** The other process. It ends when its input does, so that a killed parent leaves nothing. */
export class RpcLink {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<string, (frame: Frame | undefined) => void>();
  #line = '';
  #errors = '';
  #count = 0;
  #isOver = false;
  /** Fulfilled when the process is gone, with what it wrote to standard error last. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;

  constructor(order: LinkOrder) {
    const [program, ...args] = order.argv;
    this.#child = spawn(program, args, {
      cwd: order.cwd,
      env: order.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text, order));
    this.#child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (this.#errors = (this.#errors + text).slice(-MAX_ERRORS)));
    // A process that has ended says so by its end.
    this.#child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, errors: string) => {
        this.#isOver = true;
        for (const answer of this.#waiting.values()) answer(undefined);
        this.#waiting.clear();
        resolve({ code, errors });
      };
      this.#child.on('error', (fault) => end(null, fault.message));
      this.#child.on('close', (code) => end(code, this.#errors));
    });
  }

  #read(text: string, order: LinkOrder): void {
    this.#line += text;
    if (this.#line.length > MAX_LINE && !this.#line.includes('\n')) {
      this.#errors = 'it wrote a line without an end';
      return this.kill();
    }
    const lines = this.#line.split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) {
      const frame = frameOf(line);
      if (frame?.type === 'response') this.#waiting.get(String(frame['id']))?.(frame);
      else if (frame) order.frame(frame);
    }
  }

  /** Sends a command and waits for its response; nothing when the process ends before. */
  ask(command: Frame): Promise<Frame | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    const id = `c${++this.#count}`;
    return new Promise((resolve) => {
      this.#waiting.set(id, (frame) => {
        this.#waiting.delete(id);
        resolve(frame);
      });
      this.send({ ...command, id });
    });
  }

  /** Sends a frame that has no response. */
  send(frame: Frame): void {
    if (!this.#isOver) this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  /** Ends it: it is asked by the end of its input, and killed with its group after the grace. */
  async close(graceMs: number): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.ended;
    clearTimeout(timer);
    // Programs that it started and that did not end with it.
    this.kill();
  }

  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The whole group is gone.
    }
  }
}

function frameOf(line: string): Frame | undefined {
  if (line.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const isFrame = typeof value === 'object' && value !== null && typeof (value as Frame).type === 'string';
    return isFrame ? (value as Frame) : undefined;
  } catch {
    return undefined; // A program has written to its output; that is no frame.
  }
}
