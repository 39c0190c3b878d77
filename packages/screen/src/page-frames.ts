/**
 * Frames of a whole screen, as text to write. Every place is known, so rows are addressed by number and only those that
 * differ are written. Where rows have only moved, a scroll region moves them: by line feeds at its foot, by reverse
 * line feeds at its top.
 */
import type { TextColumns } from './component.ts';
import { isImage, removedImages, rowsBlanked } from './image-rows.ts';
import { rowChange } from './row-change.ts';
import type { Caret } from './rows.ts';

/** What a page shows; all rows are prepared, and rows missing at the end are blank. */
export interface PageContent {
  readonly rows: readonly string[];
  readonly caret?: Caret;
  readonly columns: number;
  readonly height: number;
}

/** Fewer rows than these are written rather than moved. */
const LEAST_MOVED = 4;

/** Turns pages into what has to be written, and remembers what the screen shows. */
export class PageFrames {
  readonly #text: TextColumns;
  #shown: readonly string[] | undefined;
  #columns = 0;
  #height = 0;
  #cursor = '';

  constructor(text: TextColumns) {
    this.#text = text;
  }

  /** Forgets the screen; the next frame writes all of it. */
  forget(): void {
    this.#shown = undefined;
  }

  /** Takes off what would stay on the screen although its rows are left, and forgets the rest. */
  leave(): string {
    const out = removedImages(this.#shown ?? [], []);
    this.forget();
    return out;
  }

  /** What to write for this content; nothing when the screen shows it already. */
  frame({ rows, caret, columns, height }: PageContent): string {
    const next = Array.from({ length: height }, (_, at) => rows[at] ?? '');
    let out = '';
    if (!this.#shown || columns !== this.#columns || height !== this.#height) {
      out = `${removedImages(this.#shown ?? [], [])}\x1b[r\x1b[H\x1b[2J`;
      this.#shown = next.map(() => '');
      this.#cursor = '';
    }
    this.#columns = columns;
    this.#height = height;
    out += removedImages(this.#shown, next);
    const [moved, before] = this.#move(this.#shown, next);
    out += moved;
    let blank = 0;
    for (const [at, row] of next.entries()) {
      const change = rowChange(blank > 0 ? '' : (before[at] ?? ''), row, columns, this.#text);
      blank = change ? rowsBlanked(row) : Math.max(0, blank - 1);
      if (change) out += `\x1b[${at + 1};${change.column + 1}H${change.text}`;
    }
    this.#shown = next;
    return out + this.#putCursor(caret, out !== '');
  }

  /** Moves rows that only stand elsewhere now; the result is what the screen shows then. */
  #move(before: readonly string[], next: readonly string[]): readonly [string, readonly string[]] {
    const changed = next.reduce((count, row, at) => count + (row === before[at] ? 0 : 1), 0);
    // Terminals disagree about what a region does to an image.
    if (changed < LEAST_MOVED || before.some(isImage) || next.some(isImage)) return ['', before];
    const run = longestMove(before, next);
    if (!run) return ['', before];
    const { from, to, by } = run;
    // The region holds the rows where they were and where they go.
    const [top, foot] = by > 0 ? [to, from + run.length - 1] : [from, to + run.length - 1];
    const region = `\x1b[${top + 1};${foot + 1}r`;
    const go = by > 0 ? `\x1b[${foot + 1};1H${'\n'.repeat(by)}` : `\x1b[${top + 1};1H${'\x1bM'.repeat(-by)}`;
    const after = [...before];
    for (let at = top; at <= foot; at += 1) {
      const source = at + by;
      after[at] = source >= top && source <= foot ? (before[source] ?? '') : '';
    }
    return [`${region}${go}\x1b[r`, after];
  }

  #putCursor(caret: Caret | undefined, isMoved: boolean): string {
    const isVisible = caret !== undefined && caret.row >= 0 && caret.row < this.#height;
    const cursor = isVisible ? `\x1b[${caret.row + 1};${caret.column + 1}H\x1b[?25h` : '\x1b[?25l';
    if (cursor === this.#cursor && !(isMoved && isVisible)) return '';
    this.#cursor = cursor;
    return cursor;
  }
}

interface Move {
  readonly from: number;
  readonly to: number;
  readonly length: number;
  /** How many rows up. */
  readonly by: number;
}

/** The longest run of rows that stands elsewhere now, if it is worth a region. */
function longestMove(before: readonly string[], next: readonly string[]): Move | undefined {
  let best: Move | undefined;
  for (let by = 1 - before.length; by < before.length; by += 1) {
    if (by === 0) continue;
    let length = 0;
    // Blank rows are quickly written: a run of them alone is no gain.
    let filled = 0;
    for (let to = Math.max(0, -by); to < Math.min(next.length, next.length - by); to += 1) {
      const isSame = next[to] === before[to + by];
      length = isSame ? length + 1 : 0;
      filled = isSame ? filled + (next[to] === '' || next[to] === before[to] ? 0 : 1) : 0;
      if (filled >= LEAST_MOVED && length > (best?.length ?? 0)) {
        best = { from: to + by - length + 1, to: to - length + 1, length, by };
      }
    }
  }
  return best;
}
