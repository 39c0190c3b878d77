/** Says when a host that ended badly may start again. */
export class RestartPolicy {
  #failures: number[] = [];
  readonly #now: () => number;
  readonly #windowMs: number;
  readonly #limit: number;
  readonly #firstWaitMs: number;

  constructor(options: { now?: () => number; windowMs?: number; limit?: number; firstWaitMs?: number } = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#windowMs = options.windowMs ?? 10 * 60_000;
    this.#limit = options.limit ?? 5;
    this.#firstWaitMs = options.firstWaitMs ?? 500;
  }

  /** Notes that the host ended badly. */
  failed(): void {
    this.#failures = [...this.#recent(), this.#now()];
  }

  /** How long to wait before the next start; nothing when it must not be started again. */
  waitMs(): number | undefined {
    const recent = this.#recent();
    const last = recent.at(-1);
    if (recent.length >= this.#limit) return undefined;
    if (last === undefined) return 0;
    return Math.max(0, last + this.#firstWaitMs * 2 ** (recent.length - 1) - this.#now());
  }

  /** How often it ended badly within the window. */
  get count(): number {
    return this.#recent().length;
  }

  /** The length of the window, for messages. */
  get windowMinutes(): number {
    return this.#windowMs / 60_000;
  }

  #recent(): number[] {
    const since = this.#now() - this.#windowMs;
    return this.#failures.filter((at) => at > since);
  }
}
