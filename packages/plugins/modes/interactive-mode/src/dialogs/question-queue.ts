/** Questions one after the other: two at once would fight for the keys. */

/** Keeps questions in the order in which they came. */
export class QuestionQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** How many questions wait behind the one that is shown. */
  get waiting(): number {
    return Math.max(0, this.#waiting - 1);
  }

  /** Asks when all before it are answered; undefined at once when the signal aborts before that. */
  run<T>(ask: () => Promise<T | undefined>, signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    this.#waiting += 1;
    const turn = this.#last.then(() => (signal?.aborted === true ? undefined : ask()));
    const done = turn.finally(() => (this.#waiting -= 1));
    // A question that failed must not hold up the next one; whoever asked it is told.
    this.#last = done.catch(() => undefined);
    return signal ? Promise.race([done, aborted(signal)]) : done;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}
