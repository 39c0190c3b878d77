/** Components on the alternate screen: finished rows scroll above, live rows stay at the foot. */
import { type EarlierRows, FinishedRows } from './finished-rows.ts';
import type { TerminalInput } from './key-decoder.ts';
import { IGNORE_MOUSE, readMouse, TRACK_MOUSE } from './mouse.ts';
import { RowPreparer } from './rows.ts';
import { ScreenBase } from './screen-base.ts';
import type { ScreenOptions } from './screen.ts';

/** What a fullscreen is made of. */
export interface FullScreenOptions extends ScreenOptions {
  /** Finished rows are kept up to this many bytes; 8 MB unless given. */
  readonly keptBytes?: number;
  /** Gives rows from before the first one, when the user scrolls there. */
  readonly earlierRows?: EarlierRows;
  /** The wheel scrolls, and the terminal's own selection needs Shift; true unless given. */
  readonly mouse?: boolean;
  /** So many of the last finished rows are printed to the main screen on `stop`; none unless given. */
  readonly rowsLeftBehind?: number;
}

const ENTER = '\x1b[?1049h';
const LEAVE = '\x1b[?1049l';
const KEPT_BYTES = 8 * 1024 * 1024;
const WHEEL_ROWS = 3;

/** The second renderer of the same components. */
export class FullScreen extends ScreenBase {
  readonly #rows: FinishedRows;
  /** For the finished rows: most of them are the same in the next frame. */
  readonly #above: RowPreparer;
  readonly #left: number;
  #wantsMouse: boolean;
  #hasMouse = false;
  #isEntered = false;
  /** The number of the finished row at the top while the user has scrolled; the newest rows are shown otherwise. */
  #top: number | undefined;
  /** How many finished rows the last frame had room for. */
  #room = 1;

  constructor(options: FullScreenOptions) {
    super(options);
    this.#rows = new FinishedRows(options.keptBytes ?? KEPT_BYTES, options.earlierRows);
    this.#above = new RowPreparer(options.text, () => options.facts?.facts.links ?? true);
    this.#left = options.rowsLeftBehind ?? 0;
    this.#wantsMouse = options.mouse ?? true;
  }

  /** How many finished rows are below the last one shown. */
  get rowsBelow(): number {
    return this.#top === undefined ? 0 : Math.max(0, this.#rows.end - this.#top - this.#room);
  }

  /** Whether the wheel scrolls; off gives the mouse back to the terminal, for selecting. */
  setMouse(isOn: boolean): void {
    this.#wantsMouse = isOn;
    this.requestFrame();
  }

  /** Scrolls the finished rows: down if positive. */
  scrollBy(rows: number): void {
    this.#takeFinished();
    this.scrollTo((this.#top ?? this.#newestTop()) + rows);
  }

  /** Shows this finished row at the top: the first that was added is 0. Beyond the last one the newest are followed again. */
  scrollTo(row: number): void {
    this.#takeFinished();
    while (row < this.#rows.start && this.#rows.readEarlier());
    const newest = this.#newestTop();
    this.#top = row >= newest ? undefined : Math.max(this.#rows.start, row);
    this.requestFrame();
  }

  redraw(rows: readonly string[]): void {
    this.finished = [];
    this.#rows.replace(rows);
    this.#top = undefined;
    this.pages.forget();
    this.stack.invalidate();
    this.requestFrame();
  }

  protected frame(): string {
    this.#takeFinished();
    const { page } = this.stack;
    let out = '';
    if (!this.#isEntered) {
      out = ENTER;
      this.#isEntered = true;
      this.pages.forget();
    }
    if (this.#wantsMouse !== this.#hasMouse) out += this.#wantsMouse ? TRACK_MOUSE : IGNORE_MOUSE;
    this.#hasMouse = this.#wantsMouse;
    return out + (page ? this.pageFrame(page) : this.#rowsFrame());
  }

  protected leave(keepLive: boolean): string {
    this.#takeFinished();
    const { columns, height } = this;
    const last = this.#left > 0 ? this.#rows.read(this.#rows.end - this.#left, this.#rows.end) : [];
    const live = this.#left > 0 && keepLive ? this.preparer.live(this.stack.liveRows(columns), columns).rows : [];
    const rows = [...this.preparer.finished(last, columns, height), ...live];
    const mouse = this.#hasMouse ? IGNORE_MOUSE : '';
    const out = this.#isEntered ? this.pages.leave() + mouse + LEAVE : '';
    this.forget();
    return `${out}${rows.map((row) => `${row}\r\n`).join('')}\x1b[?25h`;
  }

  protected forget(): void {
    this.#isEntered = false;
    this.#hasMouse = false;
    this.pages.forget();
  }

  protected resized(): void {
    this.pages.forget();
  }

  protected override use(input: TerminalInput): boolean {
    if (this.stack.page) return false;
    if (input.kind === 'report') {
      const kind = readMouse(input.data)?.kind;
      if (kind === 'wheel-up' || kind === 'wheel-down') this.scrollBy(kind === 'wheel-up' ? -WHEEL_ROWS : WHEEL_ROWS);
      return kind !== undefined;
    }
    if (input.kind !== 'key' || input.key.event === 'release' || this.stack.isCovered) return false;
    return this.#useKey(input.key.name, input.key.ctrl);
  }

  /** Home and End are the editor's unless Ctrl is held or the user has scrolled. */
  #useKey(name: string, ctrl: boolean): boolean {
    const page = Math.max(1, this.#room - 1);
    const scrolls = ctrl || this.#top !== undefined;
    if (name === 'pageup') this.scrollBy(-page);
    else if (name === 'pagedown') this.scrollBy(page);
    else if (name === 'home' && scrolls) this.#toStart();
    else if (name === 'end' && scrolls) this.scrollTo(this.#rows.end);
    else return false;
    return true;
  }

  /** To the first row that is there; who is there already gets those before it. */
  #toStart(): void {
    this.#takeFinished();
    const { start } = this.#rows;
    if (this.#top === start || this.#rows.end - start <= this.#room) this.#rows.readEarlier();
    this.scrollTo(this.#rows.start);
  }

  #takeFinished(): void {
    if (this.finished.length === 0) return;
    this.#rows.add(this.finished);
    this.finished = [];
    if (this.#top !== undefined && this.#top < this.#rows.start) this.#top = this.#rows.start;
  }

  #newestTop(): number {
    return Math.max(this.#rows.start, this.#rows.end - this.#room);
  }

  #rowsFrame(): string {
    const { columns, height } = this;
    const live = this.preparer.live(this.stack.liveRows(columns), columns, height);
    const hidden = Math.max(0, live.rows.length - height);
    const foot = live.rows.slice(hidden);
    this.#room = height - foot.length;
    const above = this.#finishedRows(columns);
    const missing = Array.from({ length: this.#room - above.length }, () => '');
    const caret = live.caret && { row: this.#room + live.caret.row - hidden, column: live.caret.column };
    const isShown = live.caret !== undefined && live.caret.row >= hidden;
    return this.pages.frame({
      rows: [...above, ...missing, ...foot],
      columns,
      height,
      ...(caret && isShown ? { caret } : {}),
    });
  }

  #finishedRows(columns: number): readonly string[] {
    if (this.#room === 0) return [];
    const from = this.#top ?? this.#newestTop();
    const raw = this.#rows.read(from, from + this.#room);
    const { rows } = this.#above.live(raw, columns, this.#room);
    // A row with line feeds is more than one: the newest are shown unless the user has scrolled.
    return this.#top === undefined ? rows.slice(-this.#room) : rows.slice(0, this.#room);
  }
}
