/** Those who wait for changes of a store: of any run, or of one. */

interface Watcher {
  readonly run: string | undefined;
  readonly listener: () => void;
}

/** A hundred who follow a hundred runs are each woken for their own alone. */
export class RunWatchers {
  readonly #all = new Set<Watcher>();

  get size(): number {
    return this.#all.size;
  }

  /** Returns how to stop. */
  add(listener: () => void, run: string | undefined): () => void {
    const own = { run, listener };
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  /** Something was written of these runs; `undefined` when it is not known of which. */
  tell(runs: ReadonlySet<string> | undefined): void {
    for (const { run, listener } of [...this.#all])
      if (run === undefined || runs === undefined || runs.has(run)) listener();
  }
}
