/** A search that takes longer than a key may: asked when typing rests, given up when it goes on. */

/** How long typing rests before the search is asked. */
const REST_MS = 150;

/** What finds items by a query. */
export type Search<T> = (query: string, signal: AbortSignal) => Promise<ReadonlySet<T>>;

/** One search at a time. */
export class LateSearch<T> {
  readonly #search: Search<T>;
  readonly #onFound: (values: ReadonlySet<T>) => void;
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(search: Search<T>, onFound: (values: ReadonlySet<T>) => void) {
    this.#search = search;
    this.#onFound = onFound;
  }

  /** Searches for this query, in place of the one before. */
  want(query: string): void {
    this.stop();
    if (query === '') return;
    const controller = new AbortController();
    this.#controller = controller;
    this.#timer = setTimeout(() => void this.#ask(query, controller.signal), REST_MS);
  }

  async #ask(query: string, signal: AbortSignal): Promise<void> {
    try {
      const found = await this.#search(query, signal);
      if (!signal.aborted) this.#onFound(found);
    } catch {
      // The filter serves without it; whoever searches reports its own failures.
    }
  }

  /** Gives up what is being searched. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort();
  }
}
