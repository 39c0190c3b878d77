/**
 * Where the lines of an older file are in the file as it is now: proven, or not at all. The reasons and the rules are
 * in `crates/hashline/src/locate.rs`; this is the same search, step by step, so that both refuse the same edits.
 */
import { trimmedEnd } from './anchor.ts';
import type { LineText } from './js-text.ts';

/** Line comparisons that one patch may spend; beyond it the text is too repetitive to be worth proving. */
const BUDGET = 4_000_000;

/** How many lines on each side tell two positions apart; blocks that are equal for longer are not told apart. */
const REACH = 400;

/** What `isTelling` says, for a line given as one character per byte. */
const TELLING = /[0-9A-Za-z\x80-\xff]/;

/** Why a position could not be proven. */
export type Unproven = 'changed' | 'repeated';

type LineIndex = Map<string, number[]>;

/** Finds lines of a snapshot in the current file. */
export class Locator {
  readonly #base: readonly string[];
  readonly #now: readonly string[];
  readonly #prefix: number;
  readonly #suffix: number;
  /** Built when first needed: most edits are placed by the unchanged start or end. */
  #indexes: { base: LineIndex; now: LineIndex } | undefined;
  #spent = 0;

  constructor(base: LineText, now: LineText) {
    this.#base = trimmedLines(base);
    this.#now = trimmedLines(now);
    const shorter = Math.min(this.#base.length, this.#now.length);
    let prefix = 0;
    while (prefix < shorter && this.#base[prefix] === this.#now[prefix]) prefix++;
    let suffix = 0;
    while (suffix < shorter && this.#base.at(-1 - suffix) === this.#now.at(-1 - suffix)) suffix++;
    this.#prefix = prefix;
    this.#suffix = suffix;
  }

  /** Where the base's lines `start` to `end` (an insertion point when empty) begin in the file now. */
  locate(start: number, end: number): number | Unproven {
    const base = this.#base.length;
    const now = this.#now.length;
    const [low, high] = this.#window(start, end);
    if (base === now && this.#prefix === base) return start;
    const byStart = high < base && high < this.#prefix;
    const byEnd = low >= 0 && low >= base - this.#suffix;
    if (byStart && byEnd && base !== now) return 'repeated';
    if (byStart) return this.#unrivalled(start, end, [start]);
    if (byEnd) return this.#unrivalled(start, end, [start + now - base]);
    const positions = this.#positionsOfWindow(start, low, high);
    return typeof positions === 'string' ? positions : this.#unrivalled(start, end, positions);
  }

  /** The smallest window worth comparing: the lines, one more on each side, and two that tell something. */
  #window(start: number, end: number): [low: number, high: number] {
    const edge = this.#base.length;
    // The file's edges (-1 and the line count) tell as much as any line.
    const tells = (at: number): number => (at < 0 || at >= edge || TELLING.test(this.#base[at]!) ? 1 : 0);
    let low = start - 1;
    let high = end;
    let telling = 0;
    for (let at = low; at <= high; at++) telling += tells(at);
    while (telling < 2 && (low >= 0 || high < edge)) {
      if (low >= 0) telling += tells(--low);
      if (high < edge) telling += tells(++high);
    }
    return [low, high];
  }

  /** Where the range could be now: wherever the whole window `low` to `high` is. */
  #positionsOfWindow(start: number, low: number, high: number): number[] | Unproven {
    const { now } = this.#indexed();
    const pivot = this.#rarestLine(now, low, high);
    if (pivot === undefined) return 'changed';
    let shifts: number[] | undefined = (now.get(this.#base[pivot]!) ?? []).map((at) => at - pivot);
    for (let at = low; at <= high; at++) {
      shifts = this.#keep(shifts, at, this.#now);
      if (!shifts) return 'repeated';
    }
    return shifts.length === 0 ? 'changed' : shifts.map((shift) => start + shift);
  }

  /** The one of `positions` that the range belongs to, because all that reads alike, then or now, fits worse there. */
  #unrivalled(start: number, end: number, positions: readonly number[]): number | Unproven {
    const indexes = this.#indexed();
    const rivals = this.#occurrences(indexes.now, start, end, this.#now);
    const twins = rivals && this.#occurrences(indexes.base, start, end, this.#base);
    if (!rivals || !twins) return 'repeated';
    const [base, now] = [this.#base.length, this.#now.length];
    const shift = now - base;
    const overlap = Math.max(0, this.#prefix + this.#suffix - Math.min(base, now));
    const [sureStart, sureEnd] = [this.#prefix - overlap, this.#suffix - overlap];
    const length = end - start;
    const proven: number[] = [];
    for (const position of positions) {
      const own = this.#fit(start, end, position);
      if (!own) return 'repeated';
      let isProven = true;
      const isWorse = (from: number, other: number): boolean | undefined => {
        const fit = this.#fit(from, from + length, other);
        return fit && fit.above < own.above && fit.below < own.below;
      };
      for (const rival of rivals) {
        const knownAbove = rival + length < sureStart && rival !== start;
        const knownBelow = rival > now - sureEnd && rival - shift !== start;
        if (rival === position || knownAbove || knownBelow || !isProven) continue;
        const worse = isWorse(start, rival);
        if (worse === undefined) return 'repeated';
        isProven = worse;
      }
      for (const twin of twins) {
        const knownAbove = twin + length < sureStart && twin !== position;
        const knownBelow = twin > base - sureEnd && twin + shift !== position;
        if (twin === start || knownAbove || knownBelow || !isProven) continue;
        const worse = isWorse(twin, position);
        if (worse === undefined) return 'repeated';
        isProven = worse;
      }
      if (isProven) proven.push(position);
    }
    return proven.length === 1 ? proven[0]! : 'repeated';
  }

  /** All positions of the range's lines; for an insertion point, of the two lines around it. */
  #occurrences(index: LineIndex, start: number, end: number, lines: readonly string[]): number[] | undefined {
    const [low, high] = start === end ? [start - 1, end] : [start, end - 1];
    const pivot = Math.max(low, 0);
    // An edge has one position only.
    let shifts: number[] | undefined =
      pivot >= this.#base.length ? [0] : (index.get(this.#base[pivot]!) ?? []).map((at) => at - pivot);
    for (let at = low; at <= high && shifts; at++) shifts = this.#keep(shifts, at, lines);
    return shifts?.map((shift) => start + shift);
  }

  /** How far the surroundings of base lines and of a position in the file are the same; nothing once the budget is spent. */
  #fit(start: number, end: number, position: number): { above: number; below: number } | undefined {
    const same = (at: number, other: number): boolean => {
      const [base, now] = [this.#base.length, this.#now.length];
      if (at < 0 || other < 0 || at >= base || other >= now)
        return (at < 0 && other < 0) || (at >= base && other >= now);
      return this.#base[at] === this.#now[other];
    };
    let above = 0;
    while (above < REACH && start - above >= 0 && same(start - 1 - above, position - 1 - above)) above++;
    let below = 0;
    const after = position + end - start;
    while (below < REACH && end + below <= this.#base.length && same(end + below, after + below)) below++;
    this.#spent += above + below + 1;
    return this.#spent > BUDGET ? undefined : { above, below };
  }

  #indexed(): { base: LineIndex; now: LineIndex } {
    return (this.#indexes ??= { base: indexOf(this.#base), now: indexOf(this.#now) });
  }

  /** Starting from the rarest line keeps the number of candidates small; the first of equals is taken. */
  #rarestLine(index: LineIndex, low: number, high: number): number | undefined {
    let rarest: number | undefined;
    let least = Infinity;
    for (let at = Math.max(low, 0); at <= Math.min(high, this.#base.length - 1); at++) {
      const count = index.get(this.#base[at]!)?.length ?? 0;
      if (count < least) [rarest, least] = [at, count];
    }
    return rarest;
  }

  /** The shifts at which line `at` of the base is found again; nothing once the budget is spent. */
  #keep(shifts: readonly number[], at: number, lines: readonly string[]): number[] | undefined {
    this.#spent += shifts.length;
    if (this.#spent > BUDGET) return undefined;
    if (at < 0) return shifts.filter((shift) => at + shift === -1);
    if (at >= this.#base.length) return shifts.filter((shift) => at + shift === lines.length);
    const line = this.#base[at];
    return shifts.filter((shift) => lines[at + shift] === line);
  }
}

/** One character per byte: compares and hashes as bytes do, and V8 does both quickly. */
function trimmedLines(text: LineText): string[] {
  return Array.from({ length: text.count }, (_, index) => {
    const start = text.start(index);
    return text.bytes.toString('latin1', start, trimmedEnd(text.bytes, start, text.textEnd(index)));
  });
}

function indexOf(lines: readonly string[]): LineIndex {
  const index: LineIndex = new Map();
  lines.forEach((line, at) => {
    const positions = index.get(line);
    if (positions) positions.push(at);
    else index.set(line, [at]);
  });
  return index;
}
