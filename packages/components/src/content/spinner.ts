/** Shows that something is going on: a sign that changes a few times a second, and not at all when it is stopped. */
import type { Component } from '@tenon/screen';
import { type ContentText, fitted } from './text-tools.ts';

/** Time, handed in. */
export interface SpinnerClock {
  /** Milliseconds. */
  now(): number;
  /** Calls back once, after that many milliseconds; the function that it returns takes that back. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** What a spinner needs. */
export interface SpinnerOptions {
  readonly text: ContentText;
  readonly clock: SpinnerClock;
  /** Asks for a frame. */
  readonly requestRender: () => void;
  /** Signs of one column each, in turn. */
  readonly frames?: readonly string[];
  /** Styles the sign. */
  readonly paint?: (frame: string) => string;
}

/** Eight signs a second: enough to be seen, and little work. */
const FRAME_MILLISECONDS = 125;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** A sign and a message, while it runs. */
export class Spinner implements Component {
  readonly #options: SpinnerOptions;
  #message = '';
  #since = 0;
  #cancel: (() => void) | undefined;

  constructor(options: SpinnerOptions) {
    this.#options = options;
  }

  /** True between `start` and `stop`. */
  get running(): boolean {
    return this.#cancel !== undefined;
  }

  /** Shows the message, with styles if wanted; a spinner that runs only changes what it says. */
  start(message: string): void {
    this.#message = message;
    if (!this.#cancel) {
      this.#since = this.#options.clock.now();
      this.#schedule();
    }
    this.#options.requestRender();
  }

  /** Shows nothing from now on, and sets no timer. */
  stop(): void {
    if (!this.#cancel) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#options.requestRender();
  }

  render(width: number): string[] {
    if (!this.#cancel) return [];
    const { text, clock, frames = FRAMES, paint = (frame: string) => frame } = this.#options;
    const turn = Math.floor(Math.max(clock.now() - this.#since, 0) / FRAME_MILLISECONDS);
    const line = text.sanitize(this.#message, { keepStyle: true }).replace(/\s*[\n\t]\s*/g, ' ');
    const row = text.truncate(`${paint(frames[turn % frames.length] ?? '')} ${line}`, Math.max(width, 1));
    return [fitted(text, row, Math.max(width, 1))];
  }

  #schedule(): void {
    this.#cancel = this.#options.clock.after(FRAME_MILLISECONDS, () => {
      this.#schedule();
      this.#options.requestRender();
    });
  }
}
