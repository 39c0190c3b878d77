/** Components on the main screen: finished rows go to the scrollback for good, live rows are kept below them. */
import { type FrameOptions, MainFrames } from './main-frames.ts';
import { breaksRows } from './reflowing.ts';
import { ScreenBase } from './screen-base.ts';
import type { ScreenOptions } from './screen.ts';

/** What the main screen is made of. */
export interface MainScreenOptions extends ScreenOptions, FrameOptions {}

// oxlint-disable-next-line no-control-regex -- it is a control sequence
const CURSOR_REPORT = /^\x1b\[\d+;(\d+)R$/;
/** A terminal reads so few characters at once and shows nothing in between; brackets would be most of a token's bytes. */
const SMALL_FRAME = 64;
/** A terminal that has left so many questions open answers none. */
const MOST_OPEN = 100;
/** How often frames ask that move nothing, in milliseconds. */
const ASK_INTERVAL_MS = 200;
const ENTER_ALTERNATE = '\x1b[?1049h';
const LEAVE_ALTERNATE = '\x1b[?1049l';

/** The screen of a session. */
export class MainScreen extends ScreenBase {
  readonly #frames: MainFrames;
  #resized = false;
  #clear = false;
  /** The alternate screen is shown: a component has taken over. */
  #isAlternate = false;
  /** The numbers of the frames that have asked for the width and got no answer yet. */
  #open: number[] = [];
  /** The frame that may have erased finished rows, and the width that it was made for. */
  #risky: { readonly frame: number; readonly columns: number } | undefined;
  /** Up to this frame answers say nothing: it may have met another size. All, once one has, until that is heard of. */
  #overtaken = 0;
  #frame = 0;
  #lastAsked = -Infinity;
  #waiting: (() => void)[] = [];

  constructor(options: MainScreenOptions) {
    super(options);
    const { facts } = options;
    this.#frames = new MainFrames(options.text, {
      ...(facts && { reflows: () => breaksRows(facts.facts) }),
      ...options,
    });
  }

  /** Clears screen and scrollback, and writes these finished rows anew: the one way to do so, for users who ask for it. */
  redraw(rows: readonly string[]): void {
    this.finished = [...rows];
    this.#clear = true;
    this.stack.invalidate();
    this.requestFrame();
  }

  protected frame(): string {
    const { page } = this.stack;
    if (page) return this.#toAlternate() + this.pageFrame(page);
    const back = this.#toMain();
    const { columns, height: rows } = this;
    const clear = this.#clear ? '\x1b[H\x1b[2J\x1b[3J' : '';
    if (this.#clear) this.#frames.cleared();
    const finished = this.preparer.finished(this.finished, columns, rows);
    const live = this.preparer.live(this.stack.liveRows(columns), columns, rows);
    const { caret } = live;
    const out = this.#frames.frame({
      ...(caret === undefined ? {} : { caret }),
      finished,
      live: live.rows,
      columns,
      rows,
      resized: this.#resized,
      ...this.#asks(),
    });
    this.finished = [];
    this.#clear = false;
    this.#resized = false;
    if (out !== '') this.#frame += 1;
    if (this.#frames.hasAsked) {
      this.#open.push(this.#frame);
      this.#lastAsked = performance.now();
    }
    if (this.#frames.hasRisked) this.#risky = { frame: this.#frame, columns };
    if (this.#frames.hasRisked && !this.#frames.hasAsked) this.#endRisk(false);
    return back + clear + out;
  }

  protected leave(keepLive: boolean): string {
    this.#forgetQuestions();
    if (!this.#isAlternate) return this.#frames.leave(keepLive);
    const back = this.#toMain();
    const { columns, height: rows } = this;
    // Rows that waited for the main screen go there, whatever ends this.
    const finished = this.preparer.finished(this.finished, columns, rows);
    this.finished = [];
    return back + this.#frames.frame({ finished, live: [], columns, rows }) + this.#frames.leave(false);
  }

  protected forget(): void {
    this.#isAlternate = false;
    this.#forgetQuestions();
    this.pages.forget();
    this.#frames.forget();
  }

  protected resized(): void {
    this.#resized = true;
    this.#overtaken = this.#frame;
    // The size may have changed back, and rows were lost in between.
    this.pages.forget();
  }

  protected override isSmall(frame: string): boolean {
    return !this.#isAlternate && !this.#frames.isMoved && frame.length <= SMALL_FRAME;
  }

  protected override report(data: string): boolean {
    const width = CURSOR_REPORT.exec(data)?.[1];
    const frame = width === undefined ? undefined : this.#open.shift();
    if (frame === undefined) return false;
    if (frame === this.#risky?.frame) this.#endRisk(Number(width) > this.#risky.columns);
    if (frame > this.#overtaken && Number(width) !== this.columns) this.#overtaken = Infinity;
    // The news of another size may have come with the answer; then it is read in this turn of the loop.
    if (frame === this.#frame) setImmediate(() => this.#confirm(frame));
    if (this.#open.length === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    return true;
  }

  protected override answered(): Promise<void> {
    return this.#open.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Rows that were erased are written again, and those after them, so that the order stays. */
  #endRisk(isLost: boolean): void {
    this.#risky = undefined;
    const rows = this.#frames.endRisk();
    if (!isLost) return;
    this.finished.unshift(...rows);
    this.requestFrame();
  }

  #confirm(frame: number): void {
    if (frame === this.#frame && frame > this.#overtaken) this.#frames.confirm();
  }

  /** Frames that move nothing ask from time to time only. */
  #asks(): { asks?: 'all' | 'moving' } {
    if (!this.mayAsk || this.#open.length >= MOST_OPEN) return {};
    return { asks: performance.now() - this.#lastAsked < ASK_INTERVAL_MS ? 'moving' : 'all' };
  }

  #forgetQuestions(): void {
    this.#open = [];
    this.#overtaken = this.#frame;
    this.#endRisk(false);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The live rows are erased before: the terminal may break or move what it keeps of the main screen. */
  #toAlternate(): string {
    if (this.#isAlternate) return '';
    this.#isAlternate = true;
    this.pages.forget();
    return this.#frames.leave(false) + ENTER_ALTERNATE;
  }

  #toMain(): string {
    if (!this.#isAlternate) return '';
    this.#isAlternate = false;
    this.#resized = false;
    this.#frames.forget();
    return this.pages.leave() + LEAVE_ALTERNATE;
  }
}
