/** A program on a real pseudo-terminal, with a terminal of xterm.js in front of it: keys go in, rows come out. */
import { closeSync, constants, openSync } from 'node:fs';
import pty from '@lydell/node-pty';
import headless from '@xterm/headless';
import { later } from './temporary.ts';
import { until } from './waiting.ts';

type Xterm = InstanceType<typeof headless.Terminal>;

/** How a program is started. */
export interface TerminalStart {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** The keys that tests press by name. */
export const KEYS = {
  enter: '\r',
  escape: '\x1b',
  up: '\x1b[A',
  down: '\x1b[B',
  tab: '\t',
  ctrlC: '\x03',
  ctrlD: '\x04',
  ctrlO: '\x0f',
  ctrlT: '\x14',
  altEnter: '\x1b\r',
  altUp: '\x1b[1;3A',
} as const;

/** A program and the terminal that shows it. */
export class TerminalProgram {
  readonly #xterm: Xterm;
  readonly #child: ReturnType<typeof pty.spawn>;
  readonly #ended: Promise<number>;
  /** Everything that the program wrote. */
  output = '';
  exitCode: number | undefined;

  constructor({ program, words, cwd, env, columns = 100, rows = 30 }: TerminalStart) {
    this.#xterm = new headless.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
    this.#child = pty.spawn(program, [...words], { cols: columns, rows, cwd, env: { TERM: 'xterm-256color', ...env } });
    this.#child.onData((data) => {
      this.output += data;
      this.#xterm.write(data);
    });
    this.#xterm.onData((data) => this.#child.write(data));
    const letGo = holdOtherEnd(this.#child);
    this.#ended = new Promise((resolve) =>
      this.#child.onExit(({ exitCode }) => {
        letGo();
        resolve((this.exitCode = exitCode));
      }),
    );
    later(() => this.kill());
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Presses keys, or types a text. */
  type(...keys: readonly string[]): void {
    for (const key of keys) this.#child.write(key);
  }

  resize(columns: number, rows: number): void {
    this.#xterm.resize(columns, rows);
    this.#child.resize(columns, rows);
  }

  /** The rows of the screen. */
  get screen(): string {
    const { active } = this.#xterm.buffer;
    return linesOf(active, active.viewportY, active.viewportY + this.#xterm.rows);
  }

  /** Scrollback and screen. */
  get all(): string {
    const { active } = this.#xterm.buffer;
    return linesOf(active, 0, active.length);
  }

  /** Where the cursor is, counted from the top left of the screen. */
  get cursor(): { readonly row: number; readonly column: number } {
    const { active } = this.#xterm.buffer;
    return { row: active.cursorY, column: active.cursorX };
  }

  /** Waits until the screen shows this; the error shows the screen. */
  async shows(wanted: string | RegExp): Promise<void> {
    const isThere = () => (typeof wanted === 'string' ? this.all.includes(wanted) : wanted.test(this.all));
    await until(isThere, `"${wanted}"`).catch(() => {
      throw new Error(`the screen does not show ${wanted}:\n${this.screen}`);
    });
  }

  /** Waits until it is gone from the screen. */
  async hides(wanted: string): Promise<void> {
    await until(() => !this.screen.includes(wanted), `the end of "${wanted}"`);
  }

  /** Waits until the program writes nothing more and the terminal has shown all of it: frames in flight would race with a resize. */
  async rests(quietMs = 300): Promise<void> {
    let [length, since] = [-1, Date.now()];
    await until(() => {
      if (this.output.length !== length) [length, since] = [this.output.length, Date.now()];
      return Date.now() - since >= quietMs;
    }, 'a rest');
    await new Promise<void>((done) => this.#xterm.write('', done));
  }

  /** Waits for the end, and gives the exit code. */
  async ends(): Promise<number> {
    await until(() => this.exitCode !== undefined, 'the end of the program').catch(() => {
      throw new Error(`the program does not end:\n${this.screen}`);
    });
    return this.#ended;
  }

  /** Sends a signal; SIGKILL unless told. */
  kill(signal = 'SIGKILL'): void {
    if (this.exitCode === undefined) this.#child.kill(signal);
  }
}

/**
 * Keeps the program's end of the terminal open until node-pty has told of its end. Otherwise libuv takes what it can read in
 * the moment of the end for all there is, and loses the last words when the kernel still carries them (1 of 400 on a busy machine).
 */
function holdOtherEnd(child: ReturnType<typeof pty.spawn>): () => void {
  // Not in its types; Windows has none.
  const { ptsName } = child as { readonly ptsName?: string };
  if (ptsName === undefined) return () => undefined;
  const end = openSync(ptsName, constants.O_RDONLY | constants.O_NOCTTY);
  return () => closeSync(end);
}

function linesOf(buffer: Xterm['buffer']['active'], from: number, to: number): string {
  const rows: string[] = [];
  for (let at = from; at < to; at++) rows.push(buffer.getLine(at)?.translateToString(true) ?? '');
  return rows.join('\n').trimEnd();
}
