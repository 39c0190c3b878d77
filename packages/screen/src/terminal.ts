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
  /** Another program has the closed terminal: Ctrl-C there is not meant for this process. The result ends that. */
  lend?(): () => void;
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
  /** The terminal is gone: what is written goes nowhere, and no key will come. `close` only cleans up. */
  onGone(error: Error): void;
  /** The process is about to end: what to write before the modes are given back. */
  onEnd(): string;
}

/**
 * Stale modes of a program that was killed: its frame, the alternate screen, a scroll region, mouse, focus reports,
 * Windows' own keys, kitty's keys. The cursor is kept around the second and third, which move it where they are not set.
 */
const CLEAR_STALE =
  '\x1b[?2026l\x1b7\x1b[?1049l\x1b[r\x1b8\x1b>' +
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?1015l\x1b[?9001l\x1b[=0u';
/** Brackets around pastes; no automatic wrap, so that a row stays one row; keys that can be told apart. */
const SET_MODES = '\x1b[?2004h\x1b[?7l\x1b[>1u\x1b[>4;2m';
const RESET_MODES = '\x1b[?2026l\x1b[>4;0m\x1b[<u\x1b[?7h\x1b[?2004l\x1b[0m\x1b[?25h';
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const KEYBOARD_SIGNALS = ['SIGINT', 'SIGQUIT'] as const;
const FALLBACK_SIZE = { columns: 80, rows: 24 };

/** The terminal of this process. It is given back on `close`, on exit, on signals, and on an exception nobody caught. */
export class ProcessTerminal implements Terminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  #undo: (() => void)[] = [];
  #wasRaw = false;
  #isGone = false;
  #isWatched = false;
  #handlers: TerminalHandlers | undefined;

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
    return this.#isGone || this.#output.write(data);
  }

  open(handlers: TerminalHandlers): void {
    if (this.#undo.length > 0) return;
    this.#handlers = handlers;
    this.#watch();
    this.#wasRaw = this.#input.isRaw;
    this.#input.setRawMode(true);
    // It may have gone while another program had it.
    if (this.#isGone) return;
    this.write(CLEAR_STALE + SET_MODES);
    this.#listen(handlers);
    this.#input.resume();
  }

  close(last: string): void {
    if (this.#undo.length === 0) return;
    for (const undo of this.#undo.splice(0)) undo();
    this.#handlers = undefined;
    this.#input.pause();
    if (this.#isGone) return;
    this.#output.write(last + RESET_MODES);
    this.#input.setRawMode(this.#wasRaw);
  }

  lend(): () => void {
    // The terminal sends these to all processes on it; with a listener they do not end this one.
    const ignore = () => {};
    for (const signal of KEYBOARD_SIGNALS) process.on(signal, ignore);
    return () => {
      for (const signal of KEYBOARD_SIGNALS) process.off(signal, ignore);
    };
  }

  stopProcess(onContinue: () => void): void {
    // Windows has nothing to stop a process with.
    if (process.platform === 'win32') return onContinue();
    // A process that waits for nothing but a signal would end as soon as it goes on.
    const alive = setInterval(() => {}, 2 ** 30);
    process.once('SIGCONT', () => {
      clearInterval(alive);
      onContinue();
    });
    // The whole group, as the terminal would: a shell waits for all of it.
    process.kill(0, 'SIGTSTP');
  }

  /** Errors of a terminal may come late, when it was given back: then nobody needs it, and they mean nothing. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const gone = (error: Error) => {
      this.#isGone = true;
      this.#handlers?.onGone(error);
    };
    this.#output.on('error', gone);
    this.#input.on('error', gone);
    this.#input.on('end', () => gone(new Error('the terminal was closed')));
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
