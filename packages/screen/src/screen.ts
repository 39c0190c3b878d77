/** What every screen offers, whichever part of the terminal it draws on. */
import type { Component, TextColumns } from './component.ts';
import type { FactFinder } from './facts.ts';
import type { TerminalInput } from './key-decoder.ts';
import type { OverlayOptions } from './overlay.ts';
import type { Terminal } from './terminal.ts';

/** What a screen is made of. */
export interface ScreenOptions {
  readonly terminal: Terminal;
  /** Columns of text: `await loadAccelerator('text')`. */
  readonly text: TextColumns;
  /** Asks the terminal what it can do, behind the first frame; nothing is asked unless given. */
  readonly facts?: FactFinder;
  /** A component that failed to draw is shown as a row that says so, and told here. */
  onError(error: unknown): void;
  /** Sees all input first, except answers to `facts`; true keeps it from the component with the focus. */
  onInput?(input: TerminalInput): boolean;
  /** The terminal has gone (closed window, broken connection): nothing can be shown any more. `onError` unless given. */
  onGone?(error: Error): void;
  /** The least time between frames in milliseconds; 16 unless given. */
  readonly frameInterval?: number;
}

/** How a screen stops. */
export interface StopOptions {
  /** What is live stays readable; true unless given. */
  readonly keepLive?: boolean;
}

/** Components on a terminal: finished rows, live rows below them, one write for a frame. */
export interface Screen {
  /** Columns of the terminal, at least 1. */
  readonly columns: number;
  /** Rows of the terminal, at least 1. */
  readonly height: number;
  /** Takes the terminal and draws. */
  start(): void;
  /** Draws what is due and gives the terminal back. */
  stop(options?: StopOptions): void;
  /** Waits until the terminal has answered everything, at most 200 ms; call it before `stop`, or the shell may get the answers. */
  settle(): Promise<void>;
  /** Stops the process as Ctrl-Z does; the screen is drawn anew when it continues. */
  suspend(): void;
  /** Adds finished rows. Wrap them before; what is too wide is cut. */
  append(rows: readonly string[]): void;
  /** Shows a component below what is shown already. */
  add(component: Component): void;
  /** Takes a component away. */
  remove(component: Component): void;
  /** Keys go to this component, unless an overlay is open or another has the whole screen. */
  setFocus(component: Component | undefined): void;
  /** Shows a component on top of the live rows and gives it the keys; the result closes it. */
  openOverlay(component: Component, options?: OverlayOptions): () => void;
  /** Gives the whole screen and the keys to a component, such as a pager; the result ends that. What is appended waits. */
  takeOver(component: Component): () => void;
  /** Gives the terminal back while the work runs, so that another program can use it; then takes it and draws anew. */
  handOver<T>(work: () => Promise<T>): Promise<T>;
  /** Writes a sequence that moves nothing, such as those of `setTitle` and `notify`; not while another program has the terminal. */
  say(sequence: string): void;
  /** Something looks different; frames are drawn together. `isPart`: a text has grown a little, which is shown 40 times a second. */
  requestFrame(isPart?: boolean): void;
  /** Forgets what is shown and shows these finished rows instead. */
  redraw(rows: readonly string[]): void;
}
