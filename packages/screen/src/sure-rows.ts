/** What is sure about the live rows when the terminal becomes narrower: it breaks the rows that it had before, not those that came later. */
import type { TextColumns } from './component.ts';

/** After this long every frame has reached the terminal, or never will. */
const REACHED_MS = 1000;

/**
 * Remembers the live rows of the last frame that has reached the terminal for sure. One that reaches it after its size has
 * changed finds other rows above the cursor than we count, and its own rows are cut, not broken. Whoever counts too many
 * erases a finished row; too few only leave a stale one.
 */
export class SureRows {
  readonly #text: TextColumns;
  /** Rows that are broken at least like these; nothing when they may stand elsewhere. */
  #rows: readonly string[] | undefined = [];
  #last = -Infinity;

  constructor(text: TextColumns) {
    this.#text = text;
  }

  /** A frame was written. `isMoved`: live rows or the cursor stand in other rows than before. */
  wrote(live: readonly string[], before: readonly string[], isMoved: boolean): void {
    const now = performance.now();
    const sure = now - this.#last > REACHED_MS ? before : this.#rows;
    this.#rows = isMoved ? undefined : sure?.map((row, at) => this.#narrower(row, live[at] ?? ''));
    this.#last = now;
  }

  /** These rows have reached the terminal. */
  confirm(live: readonly string[]): void {
    this.#rows = live;
  }

  /** The rows to count; nothing when each counts once. */
  rows(live: readonly string[]): readonly string[] | undefined {
    return performance.now() - this.#last > REACHED_MS ? live : this.#rows;
  }

  #narrower(one: string, other: string): string {
    return one === other || this.#text.width(one) <= this.#text.width(other) ? one : other;
  }
}
