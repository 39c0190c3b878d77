/** When frames are drawn: together, not more often than the interval, and never while the terminal is behind. */

/** Calls `draw` once for any number of requests. There is no timer while nothing was requested. */
export class FramePacer {
  readonly #draw: () => boolean;
  readonly #interval: number;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due. */
  #due = Infinity;
  #last = -Infinity;
  #wanted = false;
  #blocked = false;

  /** `draw` says whether the terminal takes more; if not, `unblock` has to be called. */
  constructor(draw: () => boolean, interval: number) {
    this.#draw = draw;
    this.#interval = interval;
  }

  /** Draws soon: this long after the last frame, or as soon as somebody else wants it. */
  request(interval: number = this.#interval): void {
    this.#wanted = true;
    const due = this.#last + interval;
    if (this.#blocked || this.#immediate || (this.#timer && this.#due <= due)) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const wait = due - performance.now();
    // Keys that have already arrived are read before an immediate runs.
    if (wait <= 0) this.#immediate = setImmediate(() => this.flush());
    else {
      this.#due = due;
      this.#timer = setTimeout(() => this.#timerFired(), wait);
    }
  }

  /** The terminal has taken what was written. */
  unblock(): void {
    this.#blocked = false;
    if (this.#wanted) this.request();
  }

  /** Draws now. */
  flush(): void {
    this.cancel();
    this.#last = performance.now();
    this.#blocked = !this.#draw();
  }

  /** Forgets what was requested. */
  cancel(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
    this.#wanted = false;
  }

  #timerFired(): void {
    this.#timer = undefined;
    this.#immediate = setImmediate(() => this.flush());
  }
}
