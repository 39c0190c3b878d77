/** The time that is left for an answer. */
const SECOND = 1000;

/** Aborts its signal when time runs out, and asks for a frame every second until then. */
export class Countdown {
  readonly #ends: number | undefined;
  readonly #controller = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(timeoutMs: number | undefined, requestFrame: () => void) {
    if (timeoutMs === undefined) return;
    this.#ends = Date.now() + timeoutMs;
    this.#timers.push(
      setTimeout(() => this.#controller.abort(), timeoutMs),
      setInterval(requestFrame, SECOND),
    );
  }

  /** Aborts when time runs out. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** ` · 12s left`; nothing where time does not matter. */
  get text(): string {
    if (this.#ends === undefined || this.#timers.length === 0) return '';
    return ` · ${Math.max(0, Math.ceil((this.#ends - Date.now()) / SECOND))}s left`;
  }

  /** Nobody is hurried any more. */
  stop(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }
}
