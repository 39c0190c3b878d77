/**
 * Frames on the main screen, as text to write. Finished rows are written once and belong to the terminal from then on:
 * they scroll into its scrollback and nothing here moves or clears them. Only the live rows below them are remembered.
 *
 * Rows are addressed relative to the cursor until the place of the live rows is certain: once as many line feeds were
 * written as the screen has rows, or when the terminal says where its cursor is. From then on a scroll region moves
 * what is above, so that the rows below the change are not written again. The region scrolls by line feeds at its foot:
 * CSI S drops rows in some terminals.
 */
import type { TextColumns } from './component.ts';
import { rowChange } from './row-change.ts';
import type { Caret } from './rows.ts';

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
}

/** What the terminal can do. */
export interface FrameOptions {
  /** Rows that scroll out of a region at the top of the screen reach the scrollback; true unless given. */
  readonly regions?: boolean;
  /** Rows too wide for a narrowed screen are broken, not cut; true unless given. */
  readonly reflows?: boolean;
}

/** Terminals ignore a region of one row. */
const LEAST_REGION = 2;

/** Characters whose columns depend on the terminal's age: pictographs, and what joins or colours them. */
const UNSURE =
  /(?:[\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\u{10000}-\u{10ffff}]|\u200d|\ufe0f|\u20e3|.(?=\u200d|\ufe0f|\u20e3))+/gu;

/** Turns contents into what has to be written, and remembers what the screen shows. */
export class MainFrames {
  readonly #text: TextColumns;
  readonly #regions: boolean;
  readonly #reflows: boolean;
  #live: readonly string[] = [];
  #columns = 0;
  #rows = 0;
  /** The cursor's row, counted from the first live row. */
  #cursor = 0;
  #column: number | undefined;
  #visible: boolean | undefined;
  /** The first live row's place on the screen if certain, else the least it can be. */
  #top = 0;
  #certain = false;
  /** Nothing is known about what is below the cursor. */
  #fresh = true;
  /** The cursor is somewhere in the region's rows; only a place on the screen leads out of there. */
  #astray = false;

  constructor(text: TextColumns, options: FrameOptions = {}) {
    this.#text = text;
    this.#regions = options.regions ?? true;
    this.#reflows = options.reflows ?? true;
  }

  /** Whether the place of the live rows on the screen is certain. */
  get placed(): boolean {
    return this.#certain;
  }

  /** The terminal says that its cursor is in this row (from 0), with nothing written since the last frame. */
  place(row: number): void {
    this.#top = Math.max(0, row - this.#cursor);
    this.#certain = true;
  }

  /** Forgets the screen: somebody else has written to it, and the next frame begins where the cursor is. */
  forget(): void {
    this.#live = [];
    this.#cursor = 0;
    this.#column = undefined;
    this.#visible = undefined;
    this.#top = 0;
    this.#certain = false;
    this.#fresh = true;
    this.#astray = false;
  }

  /** The screen is blank and the cursor in its first row. */
  cleared(): void {
    this.forget();
    this.#fresh = false;
    this.#certain = true;
  }

  /** What to write for this content; nothing when the screen shows it already. */
  frame(content: FrameContent): string {
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
    out += this.#change(content.finished, live);
    out += this.#putCursor(content.caret, hidden);
    return out;
  }

  /** Moves below the live rows, which stay (or go): what the shell writes next begins there. */
  leave(keep: boolean): string {
    const out = keep && this.#live.length > 0 ? `${this.#goTo(this.#live.length - 1)}\r\n` : `${this.#goTo(0)}\r\x1b[J`;
    this.forget();
    return `${out}\x1b[?25h`;
  }

  /** The size has changed: goes to where the live rows began. The finished rows above stay as they are. */
  #upToStart(columns: number): string {
    let up = this.#cursor;
    if (this.#reflows && columns < this.#columns) {
      up = 0;
      for (const row of this.#live.slice(0, this.#cursor)) up += this.#brokenInto(row, columns);
    }
    this.forget();
    return up > 0 ? `\x1b[${up}A` : '';
  }

  /** How many rows a terminal makes of one that has become too wide; a wide character is not cut in two. */
  #brokenInto(row: string, columns: number): number {
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
    const before = this.#live;
    const growth = next.length - before.length;
    const overflow = Math.max(0, this.#top + next.length - this.#rows);
    const same = commonEnd(before, next);
    const edge = this.#top + before.length - same;
    const canScroll =
      this.#regions && this.#certain && growth > 0 && growth === overflow && same > 0 && edge >= LEAST_REGION;
    const out = canScroll && growth <= this.#top ? this.#scroll(next, growth, same, edge) : this.#rewrite(next);
    this.#live = live;
    this.#cursor -= finished.length;
    this.#advance(finished.length, next.length);
    return out;
  }

  /** Where the live rows are now: each row that was written at the foot of the screen has moved all of them up. */
  #advance(finished: number, written: number): void {
    const foot = this.#top + written - 1;
    const last = this.#rows - 1;
    this.#top = Math.min(foot, last) - (written - 1) + finished;
    if (foot >= last) this.#certain = true;
  }

  /** Scrolls what is above the rows that stay, then writes what differs. */
  #scroll(next: readonly string[], by: number, same: number, edge: number): string {
    const before = this.#live;
    let out = `\x1b[1;${edge}r\x1b[${edge};1H${'\n'.repeat(by)}\x1b[r`;
    const first = this.#top - by;
    this.#astray = true;
    for (let at = 0; at < next.length - same; at += 1) {
      const old = at < before.length - same ? (before[at] ?? '') : '';
      const change = rowChange(old, next[at] ?? '', this.#columns, this.#text);
      if (change) out += `\x1b[${first + at + 1};${change.column + 1}H${change.text}`;
    }
    return out;
  }

  /** Writes what differs from the first live row on; rows that are new are reached by line feeds. */
  #rewrite(next: readonly string[]): string {
    const before = this.#live;
    let out = '';
    for (let at = 0; at < next.length; at += 1) {
      const old = before[at];
      const change = rowChange(old ?? '', next[at] ?? '', this.#columns, this.#text);
      if (old === undefined && at > 0) {
        out += `${this.#goTo(at - 1)}\r\n`;
        this.#cursor = at;
        this.#column = 0;
      }
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

  #putCursor(caret: Caret | undefined, hidden: number): string {
    const row = caret ? caret.row - hidden : this.#live.length - 1;
    const visible = caret !== undefined && row >= 0;
    // Without a caret the cursor rests in the last live row, so that every row above counts on a resize.
    let out = this.#goToCell(Math.max(0, row), visible ? caret.column : 0);
    if (visible !== this.#visible) out += visible ? '\x1b[?25h' : '\x1b[?25l';
    this.#visible = visible;
    return out;
  }

  #goToCell(row: number, column: number): string {
    if (!this.#astray) return this.#goTo(row) + this.#goToColumn(column);
    this.#astray = false;
    this.#cursor = row;
    this.#column = column;
    return `\x1b[${this.#top + row + 1};${column + 1}H`;
  }

  #goTo(row: number): string {
    const by = row - this.#cursor;
    this.#cursor = row;
    if (by === 0) return '';
    return by < 0 ? `\x1b[${by === -1 ? '' : -by}A` : `\x1b[${by === 1 ? '' : by}B`;
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
