/** A file as it was read and as it is now, with numbers for lines: equal lines have the same one. Blanks at line ends do not count. */

import { nearCopies } from './near-copies.ts';

/** The number of what stands before the first line. */
const EDGE = -1;

/** Two versions of a file. */
export class TwoVersions {
  readonly isSame: boolean;
  readonly old: Int32Array;
  readonly now: Int32Array;
  /** How many lines are the same at the start and at the end. */
  readonly prefix: number;
  readonly suffix: number;
  /** The part of both that belongs to one side only: where they overlap, lines were repeated, and either could be meant. */
  readonly surePrefix: number;
  readonly sureSuffix: number;
  readonly #hasWords: Uint8Array;
  /** How often each line occurs, by its number; in the new version with its near copies. */
  readonly #oldCounts: Uint32Array;
  readonly #nowCounts: Uint32Array;
  readonly #copyOf: Map<number, number>;
  readonly #nowPlaces = new Map<number, number[]>();

  constructor(old: readonly string[], now: readonly string[]) {
    const ids = new Map<string, number>();
    const idOf = (line: string): number => {
      const text = line.trimEnd();
      const id = ids.get(text) ?? ids.size;
      ids.set(text, id);
      return id;
    };
    this.old = Int32Array.from(old, idOf);
    this.now = Int32Array.from(now, idOf);
    this.#hasWords = new Uint8Array(ids.size);
    for (const [text, id] of ids) this.#hasWords[id] = /[\p{L}\p{N}]/u.test(text) ? 1 : 0;
    this.#oldCounts = countsOf(this.old, ids.size);
    this.#nowCounts = countsOf(this.now, ids.size);
    this.#copyOf = this.#findNearCopies([...ids.keys()]);
    for (const [id, original] of this.#copyOf) {
      this.#nowCounts[original] = (this.#nowCounts[original] ?? 0) + (this.#nowCounts[id] ?? 0);
    }
    for (const [at, id] of this.now.entries()) {
      const places = this.#nowPlaces.get(id);
      if (places) places.push(at);
      else this.#nowPlaces.set(id, [at]);
    }
    const shorter = Math.min(old.length, now.length);
    let prefix = 0;
    while (prefix < shorter && this.old[prefix] === this.now[prefix]) prefix++;
    let suffix = 0;
    while (suffix < shorter && this.old.at(-1 - suffix) === this.now.at(-1 - suffix)) suffix++;
    this.prefix = prefix;
    this.suffix = suffix;
    const overlap = Math.max(0, prefix + suffix - shorter);
    this.surePrefix = prefix - overlap;
    this.sureSuffix = suffix - overlap;
    this.isSame = old.length === now.length && prefix === old.length;
  }

  #findNearCopies(texts: readonly string[]): Map<number, number> {
    const worded = texts.map((text, id) => ({ id, text })).filter(({ id }) => this.hasWords(id));
    const [came, old] = [
      worded.filter(({ id }) => !this.#oldCounts[id]),
      worded.filter(({ id }) => this.#oldCounts[id]),
    ];
    return nearCopies(
      came,
      old.map((line) => ({ ...line, isGone: !this.#nowCounts[line.id] })),
    );
  }

  /** The line that a line of the new version counts as: of a near copy its original, of others themselves. */
  countsAs(id: number): number {
    return this.#copyOf.get(id) ?? id;
  }

  /** Whether a line has letters or digits: one that has none could be anybody's. */
  hasWords(id: number): boolean {
    return this.#hasWords[id] === 1;
  }

  /** How many of the old lines `from` to before `until` have words; two are as good as more. */
  weight(from: number, until: number): number {
    let weight = 0;
    for (let line = Math.max(0, from); line < Math.min(until, this.old.length) && weight < 2; line++) {
      weight += this.#hasWords[this.old[line] ?? 0] ?? 0;
    }
    return weight;
  }

  /** Whether both versions have a line exactly once. */
  isUnique(id: number): boolean {
    return this.#oldCounts[id] === 1 && this.#nowCounts[id] === 1;
  }

  /** Whether one of the versions has a line with words more than once. */
  isRepeated(id: number): boolean {
    return this.hasWords(id) && ((this.#nowCounts[id] ?? 0) > 1 || (this.#oldCounts[id] ?? 0) > 1);
  }

  /** Whether there is more of a line than there was. */
  isMore(id: number): boolean {
    return (this.#nowCounts[id] ?? 0) > (this.#oldCounts[id] ?? 0);
  }

  /** Whether there is less of a line than there was. */
  isLess(id: number): boolean {
    return (this.#nowCounts[id] ?? 0) < (this.#oldCounts[id] ?? 0);
  }

  /** Where the new version has a line. */
  placesOf(id: number): readonly number[] {
    return this.#nowPlaces.get(id) ?? [];
  }

  /**
   * Whether all from the start of the file through the range is unchanged, or all from it to the end. One line more has to be, or the range could be the
   * first or last of a run of equal ones. Where both overlap, the lines that came or went could have been torn out of it.
   */
  edges(start: number, end: number): { readonly isBelowStart: boolean; readonly isAboveEnd: boolean } {
    const isSure = this.prefix === this.surePrefix;
    return {
      isBelowStart: isSure ? end < this.prefix : end <= this.surePrefix,
      isAboveEnd: start > this.old.length - this.suffix && (isSure || start >= this.old.length - this.sureSuffix),
    };
  }
}

/** The line at a place. The file's edges are lines of their own, different from each other. */
export function lineAt(lines: Int32Array, at: number): number {
  if (at < 0) return EDGE;
  return at >= lines.length ? EDGE - 1 : (lines[at] ?? EDGE);
}

function countsOf(lines: Int32Array, size: number): Uint32Array {
  const counts = new Uint32Array(size);
  for (const id of lines) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}
