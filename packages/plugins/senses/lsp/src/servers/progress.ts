/** What a server is busy with: loading a project, indexing, checking. */

/** Follows progress notifications. */
export class Progress {
  readonly #tokens = new Set<string | number>();
  readonly #waiting = new Set<() => void>();
  /** False once a server that reports its own state has said that it is not done. */
  #quiet = true;
  #begun = 0;

  /** `$/progress` */
  take({ token, value }: { readonly token?: unknown; readonly value?: unknown }): void {
    if (typeof token !== 'string' && typeof token !== 'number') return;
    const { kind } = (value ?? {}) as { kind?: unknown };
    if (kind === 'begin' && this.#tokens.size < 1_000) {
      this.#begun++;
      this.#tokens.add(token);
    } else if (kind === 'end') this.#tokens.delete(token);
    this.#wake();
  }

  /** `experimental/serverStatus` of rust-analyzer. */
  status({ quiescent }: { readonly quiescent?: unknown }): void {
    this.#quiet = quiescent === true;
    this.#wake();
  }

  get isBusy(): boolean {
    return !this.#quiet || this.#tokens.size > 0;
  }

  /** How often work has begun. */
  get begun(): number {
    return this.#begun;
  }

  /** The server has ended: nobody needs to wait. */
  end(): void {
    this.#tokens.clear();
    this.#quiet = true;
    this.#wake();
  }

  /** Waits until nothing is going on, or the signal aborts. */
  async idle(signal: AbortSignal): Promise<void> {
    await this.#until(() => !this.isBusy, signal);
  }

  /** Waits until work begins that had not begun at `count`, or the signal aborts. */
  async beginAfter(count: number, signal: AbortSignal): Promise<void> {
    await this.#until(() => this.#begun > count, signal);
  }

  async #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!holds() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
