/** The terminal engine of the JavaScript twin: node-pty under the same guard. */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PtyEngine, PtyEngineOptions, ShellEngineEvent } from './addon.ts';
import { FrameReader } from './js-frames.ts';
import { Pipes } from './js-pipes.ts';
import { processesOf, signal } from './js-processes.ts';
import { GUARD } from './scripts.ts';

const BOOTSTRAP = 'exec 240<"$2/life" 242>"$2/news"\n';
const WINDOW = 128 * 1024;
const LARGEST_INPUT = 1024 * 1024;

/** The part of node-pty's terminal that is used here. */
interface NodePty {
  readonly pid: number;
  write(data: Uint8Array | string): void;
  resize(columns: number, rows: number): void;
  pause(): void;
  resume(): void;
  kill(signal?: string): void;
  onData(listener: (data: Buffer) => void): unknown;
  onExit(listener: () => void): unknown;
}

interface NodePtyModule {
  spawn(file: string, args: string[], options: object): NodePty;
}

/** A program on a terminal made by node-pty. */
export class JsPty implements PtyEngine {
  readonly #terminal: NodePty;
  readonly #pipes: Pipes;
  readonly #marker = randomBytes(6).toString('hex');
  #watcher = 0;
  #unreleased = 0;
  #status: number | undefined;
  #closed = false;
  #ended = false;

  constructor(options: PtyEngineOptions, emit: (event: ShellEngineEvent) => void) {
    if (!statSync(options.cwd, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`working directory ${options.cwd} cannot be used; give an existing directory`);
    }
    // Loaded when the first terminal is opened: most sessions need none.
    const nodePty = createRequire(import.meta.url)('@lydell/node-pty') as NodePtyModule;
    const folder = join(tmpdir(), `tenon-shell-${randomBytes(9).toString('base64url')}`);
    this.#pipes = new Pipes(folder, ['life', 'news']);
    const args = ['-p', '-c', BOOTSTRAP + GUARD, 'tenon-guard', 'pty', folder, this.#marker, ...options.program];
    this.#terminal = nodePty.spawn(options.bash, args, {
      name: options.env['TERM'] ?? 'xterm-256color',
      cols: options.columns,
      rows: options.rows,
      cwd: options.cwd,
      env: { ...options.env, TENON_SHELL: this.#marker },
      encoding: null,
    });
    const news = new FrameReader();
    this.#pipes.listen('news', (bytes) => {
      for (const frame of news.push(bytes)) {
        if (frame.tag === 'guard') this.#watcher = frame.watcher;
        if (frame.tag === 'shell-ended') {
          this.#status = frame.status;
          // What the program left running goes with the terminal; the guard's end then ends the terminal.
          this.#pipes.close('life');
        }
      }
    });
    this.#terminal.onData((data) => {
      if (this.#closed) return;
      this.#unreleased += data.length;
      emit({ kind: 'output', command: 0, data, receipt: data.length });
      if (this.#unreleased >= WINDOW) this.#terminal.pause();
    });
    this.#terminal.onExit(() => {
      this.#ended = true;
      this.#pipes.dispose(['news']);
      const status = this.#closed ? undefined : this.#status;
      emit({ kind: 'exit', command: 0, ...(status === undefined ? {} : { status }) });
    });
  }

  write(data: Uint8Array): boolean {
    if (this.#ended || data.length > LARGEST_INPUT) return false;
    this.#terminal.write(Buffer.from(data));
    return true;
  }

  resize(columns: number, rows: number): void {
    if (!this.#ended) this.#terminal.resize(columns, rows);
  }

  signal(number: number): void {
    for (const pid of processesOf(this.#terminal.pid, this.#marker)) {
      if (pid !== this.#watcher && pid !== this.#terminal.pid) signal(pid, number);
    }
  }

  release(bytes: number): void {
    this.#unreleased -= bytes;
    if (this.#unreleased < WINDOW / 2 && !this.#ended) this.#terminal.resume();
  }

  close(): void {
    this.#closed = true;
    if (!this.#ended) this.#pipes.close('life');
  }
}
