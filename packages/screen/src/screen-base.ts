/** What all screens share: the terminal, the keys, the frames' pace, and ways to give the terminal away for a while. */
import type { Component } from './component.ts';
import { ComponentStack } from './component-stack.ts';
import { InputReader } from './input-reader.ts';
import type { TerminalInput } from './key-decoder.ts';
import type { OverlayOptions } from './overlay.ts';
import { FramePacer } from './pacing.ts';
import { PageFrames } from './page-frames.ts';
import { RowPreparer } from './rows.ts';
import type { Screen, ScreenOptions, StopOptions } from './screen.ts';
import type { Terminal } from './terminal.ts';

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const FRAME_MS = 16;
/** A text that grows reads the same at 40 frames a second as at 60, and costs two thirds. Keys are not held back by it. */
const PART_MS = 25;
/** How long answers of the terminal are waited for before another program gets it. */
const HAND_OVER_WAIT_MS = 1000;
/** The same before the screen stops: somebody waits for the shell. */
const STOP_WAIT_MS = 200;

/** A screen without its frames: `MainScreen` and `FullScreen` say what those are. */
export abstract class ScreenBase implements Screen {
  protected readonly options: ScreenOptions;
  protected readonly terminal: Terminal;
  protected readonly preparer: RowPreparer;
  protected readonly stack: ComponentStack;
  /** Rows that were appended and not drawn yet. */
  protected finished: string[] = [];
  /** What the whole screen shows, for those who have it. */
  protected readonly pages: PageFrames;
  readonly #pacer: FramePacer;
  readonly #input: InputReader;
  #isOpen = false;
  /** Nothing is asked any more: the answer might reach somebody else. */
  #asksNothing = false;
  #isSuspending = false;
  /** Waits until the terminal is back from other programs. */
  #away: Promise<void> | undefined;
  #isWanted = false;

  constructor(options: ScreenOptions) {
    this.options = options;
    this.terminal = options.terminal;
    this.preparer = new RowPreparer(options.text, () => options.facts?.facts.links ?? true);
    this.stack = new ComponentStack(options.text, (error) => options.onError(error));
    this.pages = new PageFrames(options.text);
    this.#pacer = new FramePacer(() => this.#draw(), options.frameInterval ?? FRAME_MS);
    this.#input = new InputReader((input) => this.#handle(input));
  }

  get columns(): number {
    return Math.max(1, this.terminal.columns);
  }

  get height(): number {
    return Math.max(1, this.terminal.rows);
  }

  start(): void {
    this.#isWanted = true;
    if (this.#isOpen || this.#away) return;
    this.#open();
  }

  stop(options: StopOptions = {}): void {
    this.#isWanted = false;
    if (!this.#isOpen) return;
    this.stack.closePages();
    this.#leave(options.keepLive ?? true);
  }

  settle(): Promise<void> {
    return this.#answered(STOP_WAIT_MS);
  }

  suspend(): void {
    if (!this.#isOpen || this.#isSuspending) return;
    this.#isSuspending = true;
    void this.settle().then(() => {
      this.#isSuspending = false;
      if (!this.#isOpen) return;
      this.#leave(false);
      this.terminal.stopProcess(() => this.start());
    });
  }

  append(rows: readonly string[]): void {
    for (const row of rows) this.finished.push(row);
    this.requestFrame();
  }

  add(component: Component): void {
    this.stack.add(component);
    this.requestFrame();
  }

  remove(component: Component): void {
    this.stack.remove(component);
    this.requestFrame();
  }

  setFocus(component: Component | undefined): void {
    this.stack.setFocus(component);
    this.requestFrame();
  }

  openOverlay(component: Component, options: OverlayOptions = {}): () => void {
    return this.#until(this.stack.openOverlay(component, options));
  }

  takeOver(component: Component): () => void {
    return this.#until(this.stack.openPage(component));
  }

  handOver<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#away ?? Promise.resolve();
    const result = before.then(() => this.#whileAway(work));
    // The caller gets an error with the result.
    const away: Promise<void> = result.then(
      () => this.#comeBack(away),
      () => this.#comeBack(away),
    );
    this.#away = away;
    return result;
  }

  say(sequence: string): void {
    if (this.#isOpen && sequence !== '') this.terminal.write(sequence);
  }

  requestFrame(isPart = false): void {
    if (this.#isOpen) this.#pacer.request(isPart ? (this.options.frameInterval ?? PART_MS) : undefined);
  }

  abstract redraw(rows: readonly string[]): void;

  /** What to write for a frame; nothing when all is shown. */
  protected abstract frame(): string;
  /** What to write before the terminal is given back; afterwards nothing is known about it. */
  protected abstract leave(keepLive: boolean): string;
  /** Somebody else has changed the screen. */
  protected abstract forget(): void;
  /** The size has changed. */
  protected abstract resized(): void;

  /** A report that is no answer to `facts`; true when it answers a question of the screen. */
  protected report(_data: string): boolean {
    return false;
  }

  /** Whether the frame just made needs no brackets (mode 2026). */
  protected isSmall(_frame: string): boolean {
    return false;
  }

  /** Whether a frame may ask the terminal something. */
  protected get mayAsk(): boolean {
    return !this.#asksNothing && this.options.facts?.facts.kind !== 'none';
  }

  /** Waits for the answers to what frames asked. */
  protected answered(): Promise<void> {
    return Promise.resolve();
  }

  /** True when the screen itself has used the input. */
  protected use(_input: TerminalInput): boolean {
    return false;
  }

  /** The frame of the component that has the whole screen. */
  protected pageFrame(page: Component): string {
    const { columns, height } = this;
    const rows = this.stack.pageRows(page, columns, height).slice(0, height);
    return this.pages.frame({ ...this.preparer.live(rows, columns, height), columns, height });
  }

  #until(undo: () => void): () => void {
    this.requestFrame();
    return () => {
      undo();
      this.requestFrame();
    };
  }

  #open(): void {
    this.#isOpen = true;
    this.#asksNothing = false;
    this.terminal.open({
      onInput: (part) => this.#input.take(part),
      onResize: () => {
        this.resized();
        this.requestFrame();
      },
      onDrain: () => this.#pacer.unblock(),
      onContinue: () => this.#onContinue(),
      onEnd: () => this.#ended(),
      onGone: (error) => this.#onGone(error),
    });
    this.#pacer.unblock();
    this.requestFrame();
  }

  /** Draws what is due and gives the terminal back. */
  #leave(keepLive: boolean): void {
    this.#asksNothing = true;
    this.#pacer.flush();
    this.#close(this.leave(keepLive));
  }

  /** Asks nothing any more, and waits until no answer is to come: it would be typed into the next program. */
  async #answered(limit: number): Promise<void> {
    if (!this.#isOpen) return;
    this.#asksNothing = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limit)));
    await Promise.race([Promise.all([this.options.facts?.settled(), this.answered()]), late]);
    clearTimeout(timer);
  }

  #close(last: string): void {
    this.#rest();
    this.terminal.close(last);
  }

  /** The terminal closes itself; a frame that is due must not follow. */
  #ended(): string {
    this.#rest();
    return this.leave(true);
  }

  #rest(): void {
    this.#isOpen = false;
    this.#pacer.cancel();
    this.#input.reset();
  }

  #draw(): boolean {
    this.stack.beforeFrame();
    // This frame is the one that they have asked for.
    this.#pacer.cancel();
    const frame = this.frame();
    const behind = this.#asksNothing ? '' : (this.options.facts?.questions() ?? '');
    if (frame === '' && behind === '') return true;
    return this.terminal.write((frame === '' || this.isSmall(frame) ? frame : BEGIN + frame + END) + behind);
  }

  async #whileAway<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isOpen) {
      this.#asksNothing = true;
      await this.options.facts?.settled();
    }
    await this.#answered(HAND_OVER_WAIT_MS);
    if (this.#isOpen) this.#leave(false);
    const takeBack = this.terminal.lend?.();
    try {
      return await work();
    } finally {
      takeBack?.();
    }
  }

  /** Takes the terminal again, unless the screen was stopped meanwhile or somebody else has it by now. */
  #comeBack(mine: Promise<void>): void {
    if (this.#away !== mine) return;
    this.#away = undefined;
    if (this.#isWanted && !this.#isOpen) this.#open();
  }

  #onContinue(): void {
    // Stopped by a signal, without `suspend`: the shell has set its own modes and written below.
    if (!this.#isOpen) return;
    this.forget();
    this.#close('');
    this.#open();
  }

  #onGone(error: Error): void {
    if (!this.#isOpen) return;
    this.#isWanted = false;
    this.forget();
    this.#close('');
    if (this.options.onGone) this.options.onGone(error);
    else this.options.onError(error);
  }

  #handle(input: TerminalInput): void {
    if (input.kind === 'report') {
      if (this.options.facts?.take(input.data, { columns: this.columns, rows: this.height })) return;
    }
    // On a tiny screen the answer may look like F3 with Shift, so keys are looked at, too.
    if (this.report(input.data)) return;
    if (this.options.onInput?.(input) || this.use(input)) return;
    if (input.kind === 'report' || (input.kind === 'key' && input.key.event === 'release')) return;
    this.stack.target?.handleInput?.(input.data);
    this.requestFrame();
  }
}
