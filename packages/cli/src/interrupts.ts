import { EXIT } from '@tenon/command-line/api';

/** How long a command may take to stop before the process ends anyway (not for the first Ctrl-C: a person decides). */
const GRACE_MS = 3_000;
const HINT_MS = 1_500;

/** Turns signals and closed pipes into one AbortSignal and an exit code. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #hint: () => void;
  #code: number | undefined;
  #isHandedOver = false;

  /** `hint` is called when a stop takes long, so that it can tell how to end at once. */
  constructor(hint: () => void) {
    this.#hint = hint;
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
    process.on('SIGTERM', () => this.stop(EXIT.terminated));
    process.on('SIGHUP', () => this.stop(EXIT.terminated));
  }

  #onInterrupt(): void {
    if (this.#isHandedOver) return;
    if (this.#code !== undefined) process.exit(this.#code);
    this.#abort(EXIT.interrupted);
    setTimeout(this.#hint, HINT_MS).unref();
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
