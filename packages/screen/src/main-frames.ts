/**
 * Frames on the main screen, as text to write. Finished rows are written once and belong to the terminal from then on:
 * they scroll into its scrollback and nothing here moves or clears them. Only the live rows below them are remembered.
 *
 * A frame may reach the terminal when that has taken another size already, and we hear of it later. So nothing here
 * depends on the size: rows are addressed from the cursor, never by number; the way down is line feeds, which make room
 * at the foot where other moves would stop; and a row that becomes final is written whole, wherever it stands then.
 */
import type { TextColumns } from './component.ts';
import { isImage, removedImages, rowsBlanked } from './image-rows.ts';
import { rowChange } from './row-change.ts';
import type { Caret } from './rows.ts';
import { RowsAtRisk } from './rows-at-risk.ts';
import { SureRows } from './sure-rows.ts';

/** What a frame shows; all rows are prepared. */
export interface FrameContent {
  /** Rows that have become final since the last frame. */
  readonly finished: readonly string[];
  /** The rows below them. */
  readonly live: readonly string[];
  readonly caret?: Caret;
  readonly columns: number;
  readonly rows: number;
  /** The size has changed since the last frame, and may have changed back. */
  readonly resized?: boolean;
  /** Which frames ask the terminal how wide it is when they arrive; none unless given. */
  readonly asks?: 'all' | 'moving';
}

/** What the terminal can do. */
export interface FrameOptions {
  /** Rows are inserted above those that stay (CSI L), which are not written again; true unless given. */
  readonly inserts?: boolean;
  /** Rows too wide for a narrowed screen are broken, not cut; true unless given. A function is asked when the size changes. */
  readonly reflows?: boolean | (() => boolean);
}

/** The cursor in the last column, wherever that is, and a report of its place. tmux knows this one, and not `CSI ? 6 n`. */
const ASK_WIDTH = '\x1b[9999C\x1b[6n';

/** Characters whose columns depend on the terminal's age: pictographs, and what joins or colours them. */
const UNSURE =
  /(?:[\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\u{10000}-\u{10ffff}]|\u200d|\ufe0f|\u20e3|.(?=\u200d|\ufe0f|\u20e3))+/gu;

/** Turns contents into what has to be written, and remembers what the screen shows. */
export class MainFrames {
  readonly #text: TextColumns;
  readonly #inserts: boolean;
  readonly #reflows: () => boolean;
  #live: readonly string[] = [];
  /** How many rows the terminal makes of the live ones when it becomes narrower. */
  readonly #sure: SureRows;
  /** Finished rows that the last change of the size may have cost. */
  readonly #risk = new RowsAtRisk();
  #columns = 0;
  #rows = 0;
  /** The cursor's row, counted from the first live row. */
  #cursor = 0;
  #column: number | undefined;
  #visible: boolean | undefined;
  /** Nothing is known about what is below the cursor. */
  #fresh = true;
  #hasAsked = false;
  #isMoved = false;
  #hasRisked = false;

  constructor(text: TextColumns, options: FrameOptions = {}) {
    this.#text = text;
    this.#sure = new SureRows(text);
    this.#inserts = options.inserts ?? true;
    const { reflows = true } = options;
    this.#reflows = typeof reflows === 'function' ? reflows : () => reflows;
  }

  /** Whether the last frame has put live rows or the cursor into other rows than before. */
  get isMoved(): boolean {
    return this.#isMoved;
  }

  /** Whether the last frame asks for the width. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  /** Whether the last frame may erase finished rows: it counts on a width that the answer confirms or not. */
  get hasRisked(): boolean {
    return this.#hasRisked;
  }

  /** Ends the risk, and gives the rows that may be lost. */
  endRisk(): readonly string[] {
    return this.#risk.end();
  }

  /** The terminal has applied every frame so far, and its size was the one that we know. */
  confirm(): void {
    this.#sure.confirm(this.#live);
  }

  /** Forgets the screen: somebody else has written to it, and the next frame begins where the cursor is. */
  forget(): void {
    this.#live = [];
    this.#cursor = 0;
    this.#column = undefined;
    this.#visible = undefined;
    this.#fresh = true;
  }

  /** The screen is blank and the cursor in its first row. */
  cleared(): void {
    this.forget();
    this.#fresh = false;
    this.#risk.clear();
  }

  /** What to write for this content; nothing when the screen shows it already. */
  frame(content: FrameContent): string {
    this.#hasRisked = false;
    const isNewSize = content.columns !== this.#columns || content.rows !== this.#rows;
    let out = this.#live.length > 0 && (isNewSize || content.resized) ? this.#upToStart(content.columns) : '';
    if (this.#fresh) out += '\r\x1b[J';
    if (this.#fresh) this.#column = 0;
    this.#fresh = false;
    this.#columns = content.columns;
    this.#rows = content.rows;
    // What does not fit is shown once it is finished; its first rows could not be changed any more.
    const hidden = Math.max(0, content.live.length - content.rows);
    const shown = hidden === 0 ? content.live : content.live.slice(hidden);
    // The cursor needs a row of its own below the finished ones.
    const live = shown.length === 0 ? [''] : shown;
    const before = { rows: this.#live, cursor: this.#cursor };
    out += this.#change(content.finished, live);
    this.#risk.add(content.finished);
    const { caret } = content;
    const row = caret ? caret.row - hidden : -1;
    // Without a caret the cursor rests in the last live row, so that every row above counts on a resize.
    out += this.#goTo(Math.max(0, caret ? row : live.length - 1));
    this.#isMoved = content.finished.length > 0 || live.length !== before.rows.length || this.#cursor !== before.cursor;
    this.#hasAsked = out !== '' && (content.asks === 'all' || (content.asks === 'moving' && this.#isMoved));
    if (out !== '') this.#sure.wrote(live, before.rows, this.#isMoved);
    if (this.#hasAsked) out += this.#askWidth();
    return out + this.#showCursor(row >= 0 ? caret?.column : undefined);
  }

  /** Moves below the live rows, which stay (or go): what the shell writes next begins there. */
  leave(keep: boolean): string {
    const out =
      keep && this.#live.length > 0
        ? `${this.#goTo(this.#live.length - 1)}\r\n`
        : `${removedImages(this.#live, [])}${this.#goTo(0)}\r\x1b[J`;
    this.forget();
    return `${out}\x1b[?25h`;
  }

  /** The size has changed: goes to where the live rows began. The finished rows above stay as they are. */
  #upToStart(columns: number): string {
    let up = this.#cursor;
    if (columns < this.#columns && this.#reflows()) {
      const sure = this.#sure.rows(this.#live);
      up = 0;
      for (const [at, row] of this.#live.slice(0, this.#cursor).entries()) {
        up += Math.min(this.#brokenInto(row, columns), this.#brokenInto(sure?.[at] ?? '', columns));
      }
    }
    const removed = removedImages(this.#live, []);
    this.#hasRisked = up > this.#cursor;
    if (this.#hasRisked) this.#risk.begin(up - this.#cursor);
    this.forget();
    return removed + (up > 0 ? `\x1b[${up}A` : '');
  }

  /** How many rows a terminal makes of one that has become too wide; a wide character is not cut in two. */
  #brokenInto(row: string, columns: number): number {
    if (isImage(row)) return 1;
    // One row too few leaves a stale one; one too many would erase a finished one.
    const least = row.replaceAll(UNSURE, 'x');
    if (least !== row) return Math.max(1, Math.ceil(this.#text.width(least) / columns));
    const width = this.#text.width(row);
    let rows = 1;
    for (let at = columns; at < width; at += columns, rows += 1) if (columns > 1 && this.#isInside(row, at)) at -= 1;
    return rows;
  }

  #isInside(row: string, column: number): boolean {
    const plain = (from: number, to: number) =>
      this.#text.sanitize(this.#text.slice(row, from, to), { keepStyle: false });
    return plain(column - 1, column) === ' ' && !plain(column - 1, column + 1).startsWith(' ');
  }

  #change(finished: readonly string[], live: readonly string[]): string {
    const next = finished.length === 0 ? live : [...finished, ...live];
    let before = this.#live;
    const growth = next.length - before.length;
    const same = Math.min(live.length, commonEnd(before, next));
    // Terminals disagree about what becomes of an image that is moved.
    const hasImage = before.some(isImage) || next.some(isImage);
    let out = '';
    if (this.#inserts && !hasImage && growth > 0 && same > 0 && next.length <= this.#rows) {
      const at = before.length - same;
      // Room for the new rows below all of them, and then at their place: the blank rows at the foot go.
      out = `${this.#goTo(before.length - 1 + growth)}\r${this.#goTo(at)}\x1b[${growth === 1 ? '' : growth}L`;
      this.#column = 0;
      before = before.toSpliced(at, 0, ...Array.from({ length: growth }, () => ''));
    }
    out += this.#rewrite(next, before, hasImage ? 0 : finished.length);
    this.#live = live;
    this.#cursor -= finished.length;
    return out;
  }

  /** Writes what differs, and the rows that become final; those that are new are reached by line feeds. */
  #rewrite(next: readonly string[], before: readonly string[], final: number): string {
    let out = removedImages(before, next);
    let blank = 0;
    for (let at = 0; at < next.length; at += 1) {
      const row = next[at] ?? '';
      const old = blank > 0 ? '' : before[at];
      const change =
        at < final ? { column: 0, text: `\x1b[K${row}` } : rowChange(old ?? '', row, this.#columns, this.#text);
      blank = change ? rowsBlanked(row) : Math.max(0, blank - 1);
      if (before[at] === undefined) out += this.#goTo(at);
      if (!change) continue;
      out += this.#goTo(at) + this.#goToColumn(change.column) + change.text;
      this.#column = undefined;
    }
    if (next.length < before.length) {
      out += `${this.#goTo(next.length)}\r\x1b[J`;
      this.#column = 0;
    }
    return out;
  }

  #askWidth(): string {
    this.#column = undefined;
    return ASK_WIDTH;
  }

  /** Puts the cursor into this column; nothing hides it. */
  #showCursor(column: number | undefined): string {
    const isVisible = column !== undefined;
    let out = this.#goToColumn(column ?? 0);
    if (isVisible !== this.#visible) out += isVisible ? '\x1b[?25h' : '\x1b[?25l';
    this.#visible = isVisible;
    return out;
  }

  #goTo(row: number): string {
    const by = row - this.#cursor;
    this.#cursor = row;
    if (by === 0) return '';
    if (by < 0) return `\x1b[${by === -1 ? '' : -by}A`;
    // Whether a line feed goes to the first column depends on the terminal's settings.
    if (this.#column !== 0) this.#column = undefined;
    return '\n'.repeat(by);
  }

  #goToColumn(column: number): string {
    if (column === this.#column) return '';
    this.#column = column;
    return column === 0 ? '\r' : `\x1b[${column + 1}G`;
  }
}

function commonEnd(before: readonly string[], next: readonly string[]): number {
  const most = Math.min(before.length, next.length);
  let same = 0;
  while (same < most && before[before.length - 1 - same] === next[next.length - 1 - same]) same += 1;
  return same;
}
