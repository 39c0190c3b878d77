/**
 * Finds any of many texts in one pass (Wu and Manber): it looks at the end of a window as long as the shortest text and mostly
 * steps over the whole window, so a megabyte costs few milliseconds, however many texts there are.
 */

/** Shorter texts would make the window too small to step far; they are looked for one by one. */
const MIN_WINDOW = 8;
const SLOTS = 1 << 18;

/** A text that was found. */
export interface Found {
  readonly start: number;
  readonly text: string;
}

/** A set of texts to find. */
export class KnownValues {
  /** The length of the shortest one. */
  readonly shortest: number;
  readonly #short: readonly string[];
  readonly #window: number;
  /** How far the window can move, by the last three characters in it. */
  readonly #shifts: Uint8Array;
  readonly #byEnd = new Map<number, string[]>();

  constructor(values: Iterable<string>) {
    const all = [...new Set(values)].filter((value) => value !== '').sort((a, b) => b.length - a.length);
    this.shortest = all.at(-1)?.length ?? Number.POSITIVE_INFINITY;
    this.#short = all.filter((value) => value.length < MIN_WINDOW);
    const long = all.filter((value) => value.length >= MIN_WINDOW);
    this.#window = Math.min(64, long.at(-1)?.length ?? 0);
    // A quarter of a megabyte: not for a set without long texts, which most are.
    this.#shifts = new Uint8Array(long.length > 0 ? SLOTS : 0).fill(Math.max(0, this.#window - 2));
    for (const value of long) this.#enter(value);
  }

  #enter(value: string): void {
    for (let end = 2; end < this.#window; end++) {
      const block = blockAt(value, end);
      this.#shifts[block] = Math.min(this.#shifts[block] ?? 0, this.#window - 1 - end);
    }
    const last = blockAt(value, this.#window - 1);
    const others = this.#byEnd.get(last);
    if (others) others.push(value);
    else this.#byEnd.set(last, [value]);
  }

  /** All places where one of the texts stands, the longest of those that begin at one place. They may overlap. */
  find(text: string): Found[] {
    const found = this.#window > 0 ? this.#findLong(text) : [];
    for (const value of this.#short)
      for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + 1))
        found.push({ start, text: value });
    return found;
  }

  #findLong(text: string): Found[] {
    const found: Found[] = [];
    const shifts = this.#shifts;
    const size = this.#window;
    for (let end = size - 1; end < text.length;) {
      const block = blockAt(text, end);
      const shift = shifts[block] as number;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const start = end - size + 1;
      const value = this.#byEnd.get(block)?.find((candidate) => text.startsWith(candidate, start));
      if (value !== undefined) found.push({ start, text: value });
      end++;
    }
    return found;
  }
}

/** The slot of the three characters that end here. Several may share one; what is found is compared. */
function blockAt(text: string, end: number): number {
  const before = (text.charCodeAt(end - 2) << 12) ^ (text.charCodeAt(end - 1) << 6);
  return (before ^ text.charCodeAt(end)) & (SLOTS - 1);
}
