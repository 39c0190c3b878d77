import { EXIT } from '@tenon/command-line/api';

/** How long a command may take to stop before the process ends anyway (not for the first Ctrl-C: a person decides). */
const GRACE_MS = 3_000;
const HINT_MS = 1_500;

/** The signals that ask the program to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** What is said to the person who stops a command. */
export interface StopWords {
  /** A signal has come. */
  stopped(signal: StopSignal): void;
  /** The stop takes long: says how to end at once. */
  waiting(): void;
}

/** Turns signals and closed pipes into one AbortSignal and an exit code. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #words: StopWords;
  #code: number | undefined;
  #isHandedOver = false;
  #isServing = false;

  constructor(words: StopWords) {
    this.#words = words;
  }

  /** Aborts when the command should stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit code that goes with the reason to stop, if there is one. */
  get code(): number | undefined {
    return this.#code;
  }

  /** Begins to listen for signals. */
  listen(): void {
    process.on('SIGINT', () => this.#onInterrupt());
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (this.#code === undefined && !this.#isServing) this.#words.stopped(signal);
        this.stop(this.#isServing ? EXIT.ok : EXIT.terminated);
      });
    }
  }

  /** The command is a server: a signal is how it ends, and no failure. */
  serve(): void {
    this.#isServing = true;
  }

  #onInterrupt(): void {
    if (this.#isHandedOver) return;
    if (this.#code !== undefined) process.exit(this.#code);
    if (!this.#isServing) this.#words.stopped('SIGINT');
    this.#abort(this.#isServing ? EXIT.ok : EXIT.interrupted);
    setTimeout(() => this.#words.waiting(), HINT_MS).unref();
  }

  /** Stops the command; ends the process if that takes too long. */
  stop(code: number): void {
    if (this.#code !== undefined) return;
    this.#abort(code);
    setTimeout(() => process.exit(code), GRACE_MS).unref();
  }

  #abort(code: number): void {
    this.#code = code;
    this.#controller.abort(new DOMException('The command was stopped.', 'AbortError'));
  }

  /** Leaves Ctrl-C to another program while `work` runs. */
  async handOver<T>(work: () => Promise<T>): Promise<T> {
    this.#isHandedOver = true;
    try {
      return await work();
    } finally {
      this.#isHandedOver = false;
    }
  }
}
