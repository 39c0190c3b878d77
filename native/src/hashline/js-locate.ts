/**
 * Where the lines of an older file are in the file as it is now: proven, or not at all. The reasons and the rules are
 * in `crates/hashline/src/locate.rs`; this is the same search, step by step, so that both refuse the same edits.
 */
import { trimmedEnd } from './anchor.ts';
import type { LineText } from './js-text.ts';

/** Line comparisons that one patch may spend; beyond it the text is too repetitive to be worth proving. */
const BUDGET = 4_000_000;

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
    const whole = base === now && this.#prefix === base;
    const byStart = high < base ? high < this.#prefix : whole;
    const byEnd = low >= 0 ? low >= base - this.#suffix : whole;
    if (byStart && byEnd && base !== now) return 'repeated';
    if (byStart) return start;
    if (byEnd) return start + now - base;
    const shift = this.#search(low, high);
    return typeof shift === 'number' ? start + shift : shift;
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

  /** The shift from base to file, by widening the window `low` to `high` until it is unique in both. */
  #search(low: number, high: number): number | Unproven {
    const indexes = (this.#indexes ??= { base: indexOf(this.#base), now: indexOf(this.#now) });
    const pivot = this.#rarestLine(indexes.now, low, high);
    if (pivot === undefined) return 'changed';
    const shifts = (index: LineIndex): number[] => (index.get(this.#base[pivot]!) ?? []).map((at) => at - pivot);
    let here: number[] | undefined = shifts(indexes.now);
    let before: number[] | undefined = shifts(indexes.base);
    for (let at = low; at <= high; at++) {
      here = this.#keep(here, at, this.#now);
      before = here && this.#keep(before, at, this.#base);
      if (!here || !before) return 'repeated';
    }
    if (here.length === 0) return 'changed';
    const open = { up: true, down: true };
    while (here.length !== 1 || before.length !== 1) {
      open.up &&= low >= 0;
      open.down &&= high < this.#base.length;
      if (!open.up && !open.down) return 'repeated';
      for (const side of ['up', 'down'] as const) {
        if (!open[side]) continue;
        const edge: number = side === 'up' ? low - 1 : high + 1;
        const wider: number[] | undefined = this.#keep(here, edge, this.#now);
        if (!wider) return 'repeated';
        // The surroundings changed on this side: it can tell nothing more, the other side still may.
        open[side] = wider.length > 0;
        if (!open[side]) continue;
        if (side === 'up') low = edge;
        else high = edge;
        here = wider;
        before = this.#keep(before, edge, this.#base);
        if (!before) return 'repeated';
      }
    }
    return here[0]!;
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
