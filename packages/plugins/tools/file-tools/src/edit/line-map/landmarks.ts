/** Landmarks: lines that both versions have exactly once, so that everything else can be told by where it stands between them. */
import type { TwoVersions } from './two-versions.ts';

/** A landmark, in both versions. */
export interface Landmark {
  readonly old: number;
  readonly now: number;
}

/** So many lines around a landmark may not have been copied. */
const REACH = 1;

/** The landmarks of two versions. */
export class Landmarks {
  readonly #versions: TwoVersions;
  #counts: { readonly old: Uint32Array; readonly now: Uint32Array } | undefined;

  constructor(versions: TwoVersions) {
    this.#versions = versions;
  }

  /** Where a landmark is now, whose neighbours are not more often than they were; undefined for all other lines. */
  placeOf(line: number): number | undefined {
    const { old } = this.#versions;
    const id = old[line] ?? 0;
    if (!this.#versions.hasWords(id) || !this.#versions.isUnique(id)) return undefined;
    // Of a block that was copied, a line that somebody changed in one of the two is there once, and could be of either.
    return this.#isMoreBeside(line, -1) || this.#isMoreBeside(line, 1) ? undefined : this.#versions.placesOf(id)[0];
  }

  /** The nearest ones above and below a range of old lines. */
  around(start: number, end: number): { above: Landmark | undefined; below: Landmark | undefined } {
    const mark = (old: number): Landmark | undefined => {
      const now = this.placeOf(old);
      return now === undefined ? undefined : { old, now };
    };
    let above: Landmark | undefined;
    for (let line = start - 1; line >= 0 && !above; line--) above = mark(line);
    let below: Landmark | undefined;
    for (let line = end; line < this.#versions.old.length && !below; line++) below = mark(line);
    return { above, below };
  }

  /** Whether one stands between two places of a version. */
  isBetween(version: 'old' | 'now', one: number, other: number): boolean {
    const counts = (this.#counts ??= this.#count())[version];
    return counts[one] !== counts[other];
  }

  /** How many stand before each line. */
  #count(): { readonly old: Uint32Array; readonly now: Uint32Array } {
    const old = new Uint32Array(this.#versions.old.length + 1);
    const now = new Uint32Array(this.#versions.now.length + 1);
    for (let line = 0; line < this.#versions.old.length; line++) {
      const place = this.placeOf(line);
      if (place === undefined) continue;
      old[line + 1] = 1;
      now[place + 1] = 1;
    }
    for (const counts of [old, now])
      for (let at = 1; at < counts.length; at++) counts[at] = (counts[at] ?? 0) + (counts[at - 1] ?? 0);
    return { old, now };
  }

  /** Whether there is more of the next line with words above (-1) or below (1) than there was. */
  #isMoreBeside(line: number, way: 1 | -1): boolean {
    for (let step = 1; step <= REACH; step++) {
      const id = this.#versions.old[line + way * step];
      if (id !== undefined && this.#versions.hasWords(id)) return this.#versions.isMore(id);
    }
    return false;
  }
}
