/** Components on the main screen: finished rows above, live rows below, one write for a frame. */
import { type Component, type TextColumns } from './component.ts';
import { KeyDecoder, type TerminalInput } from './key-decoder.ts';
import { type FrameOptions, MainFrames } from './main-frames.ts';
import { layOver, type Overlay, type OverlayOptions } from './overlay.ts';
import { FramePacer } from './pacing.ts';
import { RowPreparer } from './rows.ts';
import type { Terminal } from './terminal.ts';

/** What a screen is made of. */
export interface ScreenOptions extends FrameOptions {
  readonly terminal: Terminal;
  /** Columns of text: `await loadAccelerator('text')`. */
  readonly text: TextColumns;
  /** A component that failed to draw is shown as a row that says so, and told here. */
  onError(error: unknown): void;
  /** Sees all input first; true keeps it from the component with the focus. */
  onInput?(input: TerminalInput): boolean;
  /** The least time between frames in milliseconds; 16 unless given. */
  readonly frameInterval?: number;
}

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const ASK_CURSOR = '\x1b[?6n';
// oxlint-disable-next-line no-control-regex -- it is a control sequence
const CURSOR_REPORT = /^\x1b\[\?(\d+);\d+(?:;\d+)?R$/;
/** How long a lone escape may be the beginning of a sequence. */
const ESCAPE_WAIT_MS = 30;

/** The screen of a session. */
export class MainScreen {
  readonly #options: ScreenOptions;
  readonly #terminal: Terminal;
  readonly #rows: RowPreparer;
  readonly #frames: MainFrames;
  readonly #pacer: FramePacer;
  #decoder = new KeyDecoder();
  #components: Component[] = [];
  #overlays: Overlay[] = [];
  #focus: Component | undefined;
  #finished: string[] = [];
  #escapeTimer: NodeJS.Timeout | undefined;
  #isOpen = false;
  #resized = false;
  #clear = false;
  /** Asked where the cursor is, and nothing was written since. */
  #asked = false;
  #mayAsk = true;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#terminal = options.terminal;
    this.#rows = new RowPreparer(options.text);
    this.#frames = new MainFrames(options.text, options);
    this.#pacer = new FramePacer(() => this.#draw(), options.frameInterval ?? 16);
  }

  /** Columns of the terminal, at least 1. */
  get columns(): number {
    return Math.max(1, this.#terminal.columns);
  }

  /** Rows of the terminal, at least 1. */
  get height(): number {
    return Math.max(1, this.#terminal.rows);
  }

  /** Takes the terminal and draws. */
  start(): void {
    this.#isOpen = true;
    this.#mayAsk = true;
    this.#terminal.open({
      onInput: (part) => this.#take(this.#decoder.push(part)),
      onResize: () => this.#onResize(),
      onDrain: () => this.#pacer.unblock(),
      onContinue: () => this.#onContinue(),
      onEnd: () => this.#frames.leave(true),
    });
    this.requestFrame();
  }

  /** Draws what is due, gives the terminal back and leaves the cursor below; `keepLive: false` erases the live rows. */
  stop(options: { readonly keepLive?: boolean } = {}): void {
    if (!this.#isOpen) return;
    this.#pacer.flush();
    this.#release(options.keepLive ?? true);
  }

  /** Stops the process as Ctrl-Z does; the live rows are drawn anew when it continues. */
  suspend(): void {
    if (!this.#isOpen) return;
    this.#pacer.flush();
    this.#release(false);
    this.#terminal.stopProcess(() => this.start());
  }

  /** Adds rows to the scrollback, for good. Wrap them before; what is too wide is cut. */
  append(rows: readonly string[]): void {
    for (const row of rows) this.#finished.push(row);
    this.requestFrame();
  }

  /** Shows a component below what is shown already. */
  add(component: Component): void {
    this.#components.push(component);
    this.requestFrame();
  }

  /** Takes a component away. */
  remove(component: Component): void {
    this.#components = this.#components.filter((other) => other !== component);
    if (this.#focus === component) this.#focus = undefined;
    this.requestFrame();
  }

  /** Keys go to this component, unless an overlay is open. */
  setFocus(component: Component | undefined): void {
    this.#focus = component;
    this.requestFrame();
  }

  /** Shows a component on top of the live rows and gives it the keys; the result closes it. */
  openOverlay(component: Component, options: OverlayOptions = {}): () => void {
    const overlay = { ...options, component };
    this.#overlays.push(overlay);
    this.requestFrame();
    return () => {
      this.#overlays = this.#overlays.filter((other) => other !== overlay);
      this.requestFrame();
    };
  }

  /** Something looks different; frames are drawn together. */
  requestFrame(): void {
    if (this.#isOpen) this.#pacer.request();
  }

  /** Clears screen and scrollback, and writes these finished rows anew: the one way to do so, for users who ask for it. */
  redraw(rows: readonly string[]): void {
    this.#finished = [...rows];
    this.#clear = true;
    for (const component of this.#components) component.invalidate?.();
    this.requestFrame();
  }

  #release(keepLive: boolean): void {
    this.#isOpen = false;
    this.#pacer.cancel();
    clearTimeout(this.#escapeTimer);
    this.#decoder = new KeyDecoder();
    this.#terminal.close(this.#frames.leave(keepLive));
  }

  #draw(): boolean {
    const { columns, height: rows } = this;
    let out = '';
    if (this.#clear) {
      out = '\x1b[H\x1b[2J\x1b[3J';
      this.#frames.cleared();
    }
    const finished = this.#rows.finished(this.#finished, columns);
    const live = this.#rows.live(this.#liveRows(columns), columns);
    out += this.#frames.frame({
      ...optionalCaret(live.caret),
      finished,
      live: live.rows,
      columns,
      rows,
      resized: this.#resized,
    });
    this.#finished = [];
    this.#clear = false;
    this.#resized = false;
    if (out === '') return true;
    this.#asked = this.#mayAsk && !this.#frames.placed;
    this.#mayAsk = false;
    return this.#terminal.write(BEGIN + out + END + (this.#asked ? ASK_CURSOR : ''));
  }

  #liveRows(columns: number): readonly string[] {
    const rows = this.#components.flatMap((component) => this.#rendered(() => component.render(columns)));
    return this.#overlays.reduce<string[]>(
      (under, overlay) => this.#rendered(() => layOver(under, overlay, columns, this.#options.text), under),
      rows,
    );
  }

  #rendered(render: () => string[], otherwise: string[] = []): string[] {
    try {
      return render();
    } catch (error) {
      // A part that fails must not take the screen with it: it is told, and shown in its place.
      this.#options.onError(error);
      return [...otherwise, `(cannot be shown: ${error instanceof Error ? error.message : String(error)})`];
    }
  }

  #onResize(): void {
    this.#resized = true;
    this.#asked = false;
    this.#mayAsk = true;
    this.requestFrame();
  }

  #onContinue(): void {
    // Stopped by a signal, without `suspend`: the shell has set its own modes and written below.
    if (!this.#isOpen) return;
    this.#frames.forget();
    this.#terminal.close('');
    this.start();
  }

  /** An answer that a frame or a resize has overtaken says nothing; the next frame asks again. */
  #onCursorReport(row: number): void {
    if (this.#asked) this.#frames.place(row);
    else this.#mayAsk = true;
    this.#asked = false;
  }

  #take(inputs: readonly TerminalInput[]): void {
    for (const input of inputs) this.#handle(input);
    clearTimeout(this.#escapeTimer);
    if (this.#decoder.isWaiting) {
      this.#escapeTimer = setTimeout(() => this.#take(this.#decoder.flush()), ESCAPE_WAIT_MS);
    }
  }

  #handle(input: TerminalInput): void {
    if (input.kind === 'report') {
      const row = CURSOR_REPORT.exec(input.data)?.[1];
      if (row !== undefined) this.#onCursorReport(Number(row) - 1);
    }
    if (this.#options.onInput?.(input)) return;
    if (input.kind === 'report' || (input.kind === 'key' && input.key.event === 'release')) return;
    (this.#overlays.at(-1)?.component ?? this.#focus)?.handleInput?.(input.data);
    this.requestFrame();
  }
}

const optionalCaret = <T>(caret: T | undefined): { caret?: T } => (caret === undefined ? {} : { caret });
