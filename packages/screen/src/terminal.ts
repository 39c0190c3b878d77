/** A terminal to draw on, and the one that the process runs in. */
import type { ReadStream, WriteStream } from 'node:tty';

/** What a screen needs of a terminal. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  /** Writes; false when the terminal is behind and `onDrain` will be told. */
  write(data: string): boolean;
  /** Takes the keyboard and sets the modes. The functions are called until `close`. */
  open(handlers: TerminalHandlers): void;
  /** Gives everything back as it was; `last` is written before the modes change. May be called again. */
  close(last: string): void;
  /** Stops the process as Ctrl-Z does for other programs; the function is called when it goes on. */
  stopProcess(onContinue: () => void): void;
}

/** What a terminal tells. */
export interface TerminalHandlers {
  onInput(part: Uint8Array): void;
  onResize(): void;
  onDrain(): void;
  /** The process goes on after something else stopped it. */
  onContinue(): void;
  /** The process is about to end: what to write before the modes are given back. */
  onEnd(): string;
}

/** Stale modes of a program that was killed: mouse, focus reports, frame. */
const CLEAR_STALE = '\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l';
/** Brackets around pastes; no automatic wrap, so that a row stays one row; keys that can be told apart. */
const SET_MODES = '\x1b[?2004h\x1b[?7l\x1b[>1u\x1b[>4;2m';
const RESET_MODES = '\x1b[?2026l\x1b[>4;0m\x1b[<u\x1b[?7h\x1b[?2004l\x1b[0m\x1b[?25h';
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const FALLBACK_SIZE = { columns: 80, rows: 24 };

/** The terminal of this process. It is given back on `close`, on exit, on signals, and on an exception nobody caught. */
export class ProcessTerminal implements Terminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  #undo: (() => void)[] = [];
  #wasRaw = false;

  constructor(input: ReadStream = process.stdin, output: WriteStream = process.stdout) {
    this.#input = input;
    this.#output = output;
  }

  get columns(): number {
    return this.#output.columns || FALLBACK_SIZE.columns;
  }

  get rows(): number {
    return this.#output.rows || FALLBACK_SIZE.rows;
  }

  write(data: string): boolean {
    return this.#output.write(data);
  }

  open(handlers: TerminalHandlers): void {
    if (this.#undo.length > 0) return;
    this.#wasRaw = this.#input.isRaw;
    this.#input.setRawMode(true);
    this.#output.write(CLEAR_STALE + SET_MODES);
    this.#listen(handlers);
    this.#input.resume();
  }

  close(last: string): void {
    if (this.#undo.length === 0) return;
    for (const undo of this.#undo.splice(0)) undo();
    this.#output.write(last + RESET_MODES);
    this.#input.setRawMode(this.#wasRaw);
    this.#input.pause();
  }

  stopProcess(onContinue: () => void): void {
    // A process that waits for nothing but a signal would end as soon as it goes on.
    const alive = setInterval(() => {}, 2 ** 30);
    process.once('SIGCONT', () => {
      clearInterval(alive);
      onContinue();
    });
    // The whole group, as the terminal would: a shell waits for all of it.
    process.kill(0, 'SIGTSTP');
  }

  #listen(handlers: TerminalHandlers): void {
    const end = () => this.close(handlers.onEnd());
    this.#on(this.#input, 'data', (part: Uint8Array) => handlers.onInput(part));
    this.#on(this.#output, 'resize', () => handlers.onResize());
    this.#on(this.#output, 'drain', () => handlers.onDrain());
    this.#on(process, 'exit', end);
    // Before Node writes about the exception, so that it can be read.
    this.#on(process, 'uncaughtExceptionMonitor', end);
    this.#on(process, 'SIGCONT', () => handlers.onContinue());
    for (const signal of ENDING_SIGNALS) {
      this.#on(process, signal, () => {
        end();
        // With the listener gone the signal does what it would have done.
        process.kill(process.pid, signal);
      });
    }
  }

  #on(emitter: NodeJS.EventEmitter, event: string, listener: (value: Uint8Array) => void): void {
    emitter.on(event, listener);
    this.#undo.push(() => emitter.off(event, listener));
  }
}
