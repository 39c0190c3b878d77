/** Reads what the terminal sends, and waits for the rest of what it sent in part. */
import { KeyDecoder, type TerminalInput } from './key-decoder.ts';

/** How long a lone escape may be the beginning of a sequence. */
const ESCAPE_WAIT_MS = 30;
/** How long the rest of an answer may take; nobody types its beginning that quickly. */
const ANSWER_WAIT_MS = 1000;

/** Turns parts of input into keys, pastes and reports. */
export class InputReader {
  readonly #handle: (input: TerminalInput) => void;
  #decoder = new KeyDecoder();
  #timer: NodeJS.Timeout | undefined;

  constructor(handle: (input: TerminalInput) => void) {
    this.#handle = handle;
  }

  /** What the terminal sent. */
  take(part: Uint8Array): void {
    this.#give(this.#decoder.push(part));
  }

  /** Forgets what has not been completed. */
  reset(): void {
    this.#forgetTimer();
    this.#decoder = new KeyDecoder();
  }

  #forgetTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #give(inputs: readonly TerminalInput[]): void {
    // A handler may reset: what it has set up since must not be undone here.
    this.#forgetTimer();
    const decoder = this.#decoder;
    for (const input of inputs) this.#handle(input);
    if (decoder !== this.#decoder || !decoder.isWaiting) return;
    const wait = decoder.isInsideAnswer ? ANSWER_WAIT_MS : ESCAPE_WAIT_MS;
    const timer = setTimeout(() => {
      // Where the process was busy the rest may have come already: it is read before this goes on.
      setImmediate(() => {
        if (this.#timer === timer) this.#give(decoder.flush());
      });
    }, wait);
    this.#timer = timer;
  }
}
