/** Lines as rows of the screen. Rows are computed as far as they are asked for, and anew only around a change. */
import { nextBorder } from './graphemes.ts';
import { type Change, countLineFeeds, exchanged, type Lines, type Position } from './positions.ts';

/** Columns of one grapheme that begins at a column. */
export type Measure = (grapheme: string, column: number) => number;

/** A row: a line and which of its rows. */
export interface RowPlace {
  readonly line: number;
  readonly row: number;
}

/** The rows of a line, as far as they are known: where each begins, and whether there are no more. */
interface LineRows {
  readonly starts: number[];
  isWhole: boolean;
}

/** After a change this many rows are tried for one that begins where one began before; then the rest is forgotten. */
const MOST_MENDED = 32;

/** The rows of a text at one width. */
export class RowLayout {
  readonly #lines: Lines;
  readonly #measure: Measure;
  #known: (LineRows | undefined)[] = [];
  #width = 80;
  #rowsBroken = 0;

  constructor(lines: Lines, measure: Measure) {
    this.#lines = lines;
    this.#measure = measure;
  }

  /** How many rows were computed so far: shows that little is done twice. */
  get rowsBroken(): number {
    return this.#rowsBroken;
  }

  /** The columns of a row. A row may have one space more than fit. */
  get width(): number {
    return this.#width;
  }

  set width(width: number) {
    if (width !== this.#width) this.#known = [];
    this.#width = width;
  }

  /** Forgets all rows. */
  clear(): void {
    this.#known = [];
  }

  /** Follows a change of the lines, which has happened already. */
  follow({ at, removed, inserted }: Change): void {
    const gone = countLineFeeds(removed);
    const come = countLineFeeds(inserted);
    const known = this.#known[at.line];
    if (gone === 0 && come === 0) {
      if (known) this.#known[at.line] = this.#mend(at, known, removed.length, inserted.length);
      return;
    }
    while (this.#known.length <= at.line + gone) this.#known.push(undefined);
    const fresh = Array.from<undefined>({ length: come + 1 });
    this.#known = exchanged(this.#known, at.line, gone + 1, fresh);
  }

  /** Where a row begins; nothing if the line has no such row. */
  start({ line, row }: RowPlace): number | undefined {
    return this.#grown(line, (starts) => starts.length > row).starts[row];
  }

  /** How many rows a line has. */
  count(line: number): number {
    return this.#grown(line, () => false).starts.length;
  }

  /** The text of a row, with the space that may hang over. */
  text({ line, row }: RowPlace): string {
    return this.#lines.line(line).slice(this.start({ line, row }) ?? 0, this.start({ line, row: row + 1 }));
  }

  /** The row where a place is shown. */
  rowOf({ line, offset }: Position): RowPlace {
    const { starts } = this.#grown(line, (known) => (known.at(-1) ?? 0) > offset);
    return { line, row: Math.max(0, firstAfter(starts, offset) - 1) };
  }

  /** The column of a place in its row. */
  columnOf(place: Position): number {
    const start = this.start(this.rowOf(place)) ?? 0;
    return this.columns(this.#lines.line(place.line).slice(start, place.offset));
  }

  /** The columns of a text that begins a row. */
  columns(text: string): number {
    let column = 0;
    for (let at = 0; at < text.length;) {
      const next = nextBorder(text, at);
      column += this.#measure(text.slice(at, next), column);
      at = next;
    }
    return column;
  }

  /** The place in a row that is nearest before a column. */
  placeAt(place: RowPlace, column: number): Position {
    const { line } = place;
    const text = this.#lines.line(line);
    const last = this.lastOf(place).offset;
    let at = this.start(place) ?? 0;
    for (let passed = 0; at < last;) {
      const next = nextBorder(text, at);
      passed += this.#measure(text.slice(at, next), passed);
      if (passed > column) break;
      at = next;
    }
    return { line, offset: Math.min(at, last) };
  }

  /** The last place that is shown in a row: behind the text, or before what ends a row that goes on. */
  lastOf({ line, row }: RowPlace): Position {
    const text = this.#lines.line(line);
    const next = this.start({ line, row: row + 1 });
    if (next === undefined) return { line, offset: text.length };
    let at = this.start({ line, row }) ?? 0;
    for (let following = nextBorder(text, at); following < next; following = nextBorder(text, at)) at = following;
    return { line, offset: at };
  }

  /** The row below; nothing behind the last. */
  below({ line, row }: RowPlace): RowPlace | undefined {
    if (this.start({ line, row: row + 1 }) !== undefined) return { line, row: row + 1 };
    return line + 1 < this.#lines.lineCount ? { line: line + 1, row: 0 } : undefined;
  }

  /** The row above; nothing before the first. */
  above({ line, row }: RowPlace): RowPlace | undefined {
    if (row > 0) return { line, row: row - 1 };
    return line > 0 ? { line: line - 1, row: this.count(line - 1) - 1 } : undefined;
  }

  /** The rows of a line, computed until there are enough. */
  #grown(line: number, isEnough: (starts: readonly number[]) => boolean): LineRows {
    while (this.#known.length <= line) this.#known.push(undefined);
    const rows = (this.#known[line] ??= { starts: [0], isWhole: false });
    const text = this.#lines.line(line);
    while (!rows.isWhole && !isEnough(rows.starts)) {
      const end = this.#rowEnd(text, rows.starts.at(-1) ?? 0);
      if (end === undefined) rows.isWhole = true;
      else rows.starts.push(end);
    }
    return rows;
  }

  /** The rows after a change inside a line. What was broken far before and behind it is taken over. */
  #mend(at: Position, { starts: old, isWhole }: LineRows, removed: number, inserted: number): LineRows {
    const text = this.#lines.line(at.line);
    const shift = inserted - removed;
    // A row is broken by what follows it, too: two rows before the change can be others now.
    const starts = old.slice(0, Math.max(0, firstAfter(old, at.offset) - 3) + 1);
    let ahead = firstAfter(old, at.offset + removed);
    for (let tried = 0; tried < MOST_MENDED; tried += 1) {
      const end = this.#rowEnd(text, starts.at(-1) ?? 0);
      if (end === undefined) return { starts, isWhole: true };
      while (ahead < old.length && (old[ahead] ?? 0) + shift < end) ahead += 1;
      if (ahead >= old.length) return { starts, isWhole: false };
      if ((old[ahead] ?? 0) + shift === end) {
        for (let row = ahead; row < old.length; row += 1) starts.push((old[row] ?? 0) + shift);
        return { starts, isWhole };
      }
      starts.push(end);
    }
    return { starts, isWhole: false };
  }

  /** Where the row that begins at `start` ends; nothing if it is the line's last. */
  #rowEnd(text: string, start: number): number | undefined {
    this.#rowsBroken += 1;
    let column = 0;
    let lastBreak = start;
    for (let at = start; at < text.length;) {
      const next = nextBorder(text, at);
      const grapheme = text.slice(at, next);
      const columns = this.#measure(grapheme, column);
      if (column + columns > this.#width && at > start) {
        // One space may hang over, so that the next row does not begin with it.
        if (grapheme === ' ' && column <= this.#width) return next;
        return lastBreak > start ? lastBreak : at;
      }
      column += columns;
      at = next;
      if (grapheme === ' ' || grapheme === '\t') lastBreak = at;
    }
    return undefined;
  }
}

/** The index of the first number that is greater. */
function firstAfter(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
