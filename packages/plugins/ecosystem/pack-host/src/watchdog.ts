/** Asks a host for a sign of life while somebody waits for it; an idle host is left alone and costs nothing. */
export class Watchdog {
  readonly #hangMs: number;
  readonly #parts: { ping: () => void; onHang: () => void };
  #timer: NodeJS.Timeout | undefined;
  #busy = false;
  #armed = false;

  constructor(hangMs: number, parts: { ping: () => void; onHang: () => void }) {
    this.#hangMs = hangMs;
    this.#parts = parts;
  }

  /** The host has started. Before that it has a deadline of its own, and importing code may keep it busy for long. */
  arm(): void {
    this.#armed = true;
    this.watch(this.#busy);
  }

  /** Somebody begins to wait for the host, or nobody does any more. */
  watch(busy: boolean): void {
    this.#busy = busy;
    clearTimeout(this.#timer);
    if (busy && this.#armed) this.#rest();
  }

  /** The host answered. */
  pong(): void {
    clearTimeout(this.#timer);
    if (this.#busy) this.#rest();
  }

  #rest(): void {
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(this.#parts.onHang, this.#hangMs);
      this.#parts.ping();
    }, this.#hangMs / 4);
  }
}
