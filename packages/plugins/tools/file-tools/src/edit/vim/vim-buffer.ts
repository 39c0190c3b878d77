/** The text of a headless vim: lines, a cursor, and what can be undone. */

/** A place: line and column from 0, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly col: number;
}

/** What a register holds. */
export interface Register {
  readonly lines: readonly string[];
  readonly isLinewise: boolean;
}

interface Moment {
  readonly lines: readonly string[];
  readonly cursor: Position;
}

/** True when `a` comes before `b`. */
export function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.col < b.col);
}

const TAB_WIDTH = 8;

function cellAfter(text: string, from = 0): number {
  let cell = from;
  for (const char of text) cell += char === '\t' ? TAB_WIDTH - (cell % TAB_WIDTH) : 1;
  return cell;
}

/** Lines, cursor, undo. There is always a line. */
export class VimBuffer {
  cursor: Position = { line: 0, col: 0 };
  #lines: string[];
  /** One for each line, so that `:g` can follow lines while others come and go. */
  #ids: number[];
  #nextId = 0;
  #isEmptied = false;
  #undo: Moment[] = [];
  #redo: Moment[] = [];

  constructor(lines: readonly string[]) {
    this.#lines = lines.length > 0 ? [...lines] : [''];
    this.#ids = this.#lines.map(() => this.#nextId++);
  }

  /** The same text with the same past. */
  copy(): VimBuffer {
    const copy = new VimBuffer(this.#lines);
    copy.cursor = this.cursor;
    copy.#undo = [...this.#undo];
    copy.#redo = [...this.#redo];
    return copy;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Puts lines in place of `count` lines; those that have a successor stay the same line, with another text. */
  splice(at: number, count: number, lines: readonly string[]): void {
    const kept = this.#ids.slice(at, at + Math.min(count, lines.length));
    const fresh = lines.slice(kept.length).map(() => this.#nextId++);
    this.#lines = [...this.#lines.slice(0, at), ...lines, ...this.#lines.slice(at + count)];
    this.#ids = [...this.#ids.slice(0, at), ...kept, ...fresh, ...this.#ids.slice(at + count)];
    const isEmptied = this.#lines.length === 0;
    if (isEmptied) this.splice(0, 0, ['']);
    this.#isEmptied = isEmptied;
  }

  /** Whether all lines were taken out: the empty line that stays is not written. */
  get isEmptied(): boolean {
    return this.#isEmptied;
  }

  /** Moves lines behind line `to` (-1: to the start), which is not one of them. */
  moveLines(first: number, last: number, to: number): void {
    const rearrange = <T>(all: readonly T[]): T[] => {
      const [moved, count] = [all.slice(first, last + 1), last - first + 1];
      const rest = [...all.slice(0, first), ...all.slice(last + 1)];
      const at = to >= last ? to - count + 1 : to + 1;
      return [...rest.slice(0, at), ...moved, ...rest.slice(at)];
    };
    this.#lines = rearrange(this.#lines);
    this.#ids = rearrange(this.#ids);
  }

  /** Names a line for `lineOf`. Lines that the buffer was opened with have their number as the name. */
  idOf(line: number): number {
    return this.#ids[line] ?? -1;
  }

  /** Where a line is now; -1 when it is gone. */
  lineOf(id: number): number {
    return this.#ids.indexOf(id);
  }

  line(at: number = this.cursor.line): string {
    return this.#lines[at] ?? '';
  }

  get lastLine(): number {
    return this.lines.length - 1;
  }

  /** The column after a character: one that needs two units counts as one. */
  right(at: Position): number {
    const code = this.line(at.line).codePointAt(at.col) ?? 0;
    return at.col + (code > 0xffff ? 2 : 1);
  }

  left(at: Position): number {
    const text = this.line(at.line);
    const low = text.charCodeAt(at.col - 1);
    const isPair = low >= 0xdc00 && low < 0xe000 && at.col > 1;
    return Math.max(0, at.col - (isPair ? 2 : 1));
  }

  /** The last column a cursor can stand on outside of insert mode. */
  lastCol(line: number): number {
    const { length } = this.line(line);
    return length === 0 ? 0 : this.left({ line, col: length });
  }

  /** The cell in which a cursor is shown: on the last one of a tab. */
  cellOf({ line, col }: Position): number {
    const text = this.line(line);
    return cellAfter(text.slice(0, text[col] === '\t' ? col + 1 : col)) - (text[col] === '\t' ? 1 : 0);
  }

  /** The column that a cell belongs to. */
  colAt(line: number, cell: number): number {
    const text = this.line(line);
    const last = this.lastCol(line);
    for (let col = 0, after = 0; col < last;) {
      const next = this.right({ line, col });
      after = cellAfter(text.slice(col, next), after);
      if (after > cell) return col;
      col = next;
    }
    return last;
  }

  firstNonBlank(line: number): number {
    const col = /^[ \t]*/.exec(this.line(line))?.[0].length ?? 0;
    return Math.min(col, this.lastCol(line));
  }

  /** Puts the cursor on the text. */
  moveTo(place: Position): void {
    const line = Math.max(0, Math.min(place.line, this.lastLine));
    this.cursor = { line, col: Math.max(0, Math.min(place.col, this.lastCol(line))) };
  }

  /** Remembers the text as it is before a change. */
  checkpoint(): Moment {
    return { lines: [...this.lines], cursor: this.cursor };
  }

  /** Makes what happened since a checkpoint one step of undo. */
  commit(since: Moment, evenIfSame = false): void {
    const isSame = since.lines.length === this.lines.length && since.lines.every((line, at) => line === this.lines[at]);
    if (isSame && !evenIfSame) return;
    this.#undo.push(since);
    this.#redo = [];
  }

  undo(): boolean {
    return this.#travel(this.#undo, this.#redo);
  }

  redo(): boolean {
    return this.#travel(this.#redo, this.#undo);
  }

  #travel(from: Moment[], to: Moment[]): boolean {
    const moment = from.pop();
    if (!moment) return false;
    to.push(this.checkpoint());
    const [old, now] = [moment.lines, this.#lines];
    let first = 0;
    while (first < old.length && first < now.length && old[first] === now[first]) first++;
    let tail = 0;
    while (tail < Math.min(old.length, now.length) - first && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
    // Lines outside of the change stay the lines that they are.
    this.splice(first, now.length - first - tail, old.slice(first, old.length - tail));
    // Back to where the change was made, if that is near what it changed.
    const { line } = moment.cursor;
    const isSame = first === old.length && first === now.length;
    if (isSame || (line >= first - 1 && line <= old.length - tail)) this.moveTo(moment.cursor);
    else this.moveTo({ line: first, col: line < 0 ? 0 : this.firstNonBlank(Math.min(first, this.lastLine)) });
    return true;
  }

  /** The text from one place up to, not including, another. */
  textBetween(start: Position, end: Position): string[] {
    if (start.line === end.line) return [this.line(start.line).slice(start.col, end.col)];
    return [
      this.line(start.line).slice(start.col),
      ...this.lines.slice(start.line + 1, end.line),
      this.line(end.line).slice(0, end.col),
    ];
  }

  /** Puts lines in place of a text; gives the place behind them. */
  replaceBetween(start: Position, end: Position, lines: readonly string[]): Position {
    const head = this.line(start.line).slice(0, start.col);
    const tail = this.line(end.line).slice(end.col);
    const last = lines.length - 1;
    const joined = lines.map((text, at) => (at === 0 ? head : '') + text + (at === last ? tail : ''));
    this.splice(start.line, end.line - start.line + 1, joined.length > 0 ? joined : [head + tail]);
    const lastText = lines[last] ?? '';
    return { line: start.line + Math.max(0, last), col: (last <= 0 ? head.length : 0) + lastText.length };
  }

  /** Takes whole lines out; one empty line stays when none is left. */
  removeLines(first: number, last: number): void {
    this.splice(first, last - first + 1, []);
  }

  insertLines(at: number, lines: readonly string[]): void {
    this.splice(at, 0, lines);
  }
}
