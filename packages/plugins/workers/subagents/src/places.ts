/** Lets a limited number work at the same time, per session; the others wait in the order in which they came. */
export class Places {
  readonly #limit: number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Does the work when there is a place for it; gives nothing when the signal aborts before. */
  async use<T>(session: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.#enter(session, signal))) return undefined;
    try {
      return await work();
    } finally {
      this.#leave(session);
    }
  }

  async #enter(session: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const taken = this.#taken.get(session) ?? 0;
    if (taken < this.#limit) {
      this.#taken.set(session, taken + 1);
      return true;
    }
    const queue = this.#waiting.get(session) ?? [];
    this.#waiting.set(session, queue);
    return new Promise((resolve) => {
      const next = () => {
        signal.removeEventListener('abort', stop);
        resolve(true);
      };
      const stop = () => {
        queue.splice(queue.indexOf(next), 1);
        resolve(false);
      };
      queue.push(next);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** The place goes to the next one, or is free. */
  #leave(session: string): void {
    const next = this.#waiting.get(session)?.shift();
    if (next) return next();
    this.#waiting.delete(session);
    const taken = (this.#taken.get(session) ?? 1) - 1;
    if (taken === 0) this.#taken.delete(session);
    else this.#taken.set(session, taken);
  }
}
