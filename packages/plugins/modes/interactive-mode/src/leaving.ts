/** Ctrl-C and Escape: what a press means depends on what there is to lose. */

/** What the presses look at and do. */
export interface LeavingParts {
  draft(): string;
  /** Keeps the draft for later and empties the editor. */
  clearDraft(): void;
  isRunning(): boolean;
  stop(): void;
  leave(): void;
  rewind(): void;
  hint(text: string): void;
  now?(): number;
}

const TWICE_MS = 2_000;
const DOUBLE_ESCAPE_MS = 500;

/** Knows the presses before. */
export class Leaving {
  readonly #parts: LeavingParts;
  #clearedAt = -Infinity;
  #escapedAt = -Infinity;

  constructor(parts: LeavingParts) {
    this.#parts = parts;
  }

  /** Clears the draft, else stops the run, else leaves at the second press within two seconds. */
  clear(): void {
    const { draft, clearDraft, isRunning, stop, leave, hint } = this.#parts;
    const now = this.#now();
    const isSecond = now - this.#clearedAt <= TWICE_MS;
    this.#clearedAt = now;
    if (draft() !== '') {
      clearDraft();
      hint('The draft is cleared; the up arrow brings it back.');
    } else if (isRunning()) {
      stop();
      hint(isSecond ? 'Still stopping.' : 'Stopped. Press Ctrl-C twice to leave.');
    } else if (isSecond) leave();
    else hint('Press Ctrl-C again to leave.');
  }

  /** Stops the run; at rest, the second of two quick presses goes back to an earlier message. */
  escape(): void {
    const { draft, isRunning, stop, rewind } = this.#parts;
    const now = this.#now();
    const isSecond = now - this.#escapedAt <= DOUBLE_ESCAPE_MS;
    this.#escapedAt = isSecond ? -Infinity : now;
    if (isRunning()) stop();
    else if (isSecond && draft() === '') rewind();
  }

  #now(): number {
    return this.#parts.now?.() ?? performance.now();
  }
}
