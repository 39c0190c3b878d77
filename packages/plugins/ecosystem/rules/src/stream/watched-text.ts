/** Text that grows, and the moments at which patterns look at it. */

/** Patterns look at the text whenever it has grown by so many characters. */
export const STEP = 64;
/** How far back a match may begin. */
export const LOOK_BACK = 4096;
/** Characters before that, which only `^`, `\b` and lookbehinds see. */
const CONTEXT = 64;

/** A part of the text, as it was at one moment. A match must begin at `from` or later. */
export interface Window {
  readonly text: string;
  readonly from: number;
  /** How long the whole text was. */
  readonly at: number;
}

/**
 * Cuts a text that comes in pieces into windows. They depend on the text alone and not on how it was cut into pieces, so
 * that a rule matches or does not whatever the provider's packets look like.
 */
export class WatchedText {
  #kept = '';
  /** Where in the whole text `#kept` begins. */
  #start = 0;
  #next = STEP;

  /** How long the text is. */
  get length(): number {
    return this.#start + this.#kept.length;
  }

  /** Adds a piece; gives the windows that are complete with it. */
  add(piece: string): Window[] {
    this.#kept += piece;
    const windows: Window[] = [];
    for (; this.#next <= this.length; this.#next += STEP) windows.push(this.#window(this.#next));
    const spare = this.length - LOOK_BACK - CONTEXT - STEP - this.#start;
    // Cutting is not free: it waits until it is worth it.
    if (spare > LOOK_BACK) {
      this.#kept = this.#kept.slice(spare);
      this.#start += spare;
    }
    return windows;
  }

  /** The window at the end of the text. */
  end(): Window {
    return this.#window(this.length);
  }

  #window(at: number): Window {
    const first = Math.max(0, at - LOOK_BACK);
    const begin = Math.max(0, first - CONTEXT);
    return { text: this.#kept.slice(begin - this.#start, at - this.#start), from: first - begin, at };
  }
}
