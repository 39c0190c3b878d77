/** A cell's time limit. It stands still while a tool works for the cell, because that may wait for a person. */
export class CellClock {
  readonly #onEnd: () => void;
  #left: number;
  #since = 0;
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, onEnd: () => void) {
    this.#left = milliseconds;
    this.#onEnd = onEnd;
    this.#go();
  }

  /** Stops the clock until the given function is called. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.stop();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#pauses === 0) this.#go();
    };
  }

  /** Stops the clock for good. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= Date.now() - this.#since;
  }

  #go(): void {
    this.#since = Date.now();
    this.#timer = setTimeout(this.#onEnd, Math.max(0, this.#left));
  }
}
