/** Credentials that hold for a while, kept until shortly before they end. */

/** What was given, and until when it holds. */
export interface Lease<T> {
  readonly value: T;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What ends sooner than this is fetched anew: a call may take its time. */
const MARGIN_MS = 5 * 60_000;

/** Leases by who gave them. */
export class Leases<T> {
  readonly #known = new Map<string, Promise<Lease<T>>>();

  /** The value of a lease that still holds, or of a new one. Who asks meanwhile gets the same; a failure is not kept. */
  async get(key: string, take: () => Promise<Lease<T>>): Promise<T> {
    const known = await this.#known.get(key);
    if (known && known.until - MARGIN_MS > Date.now()) return known.value;
    const taken = take();
    this.#known.set(key, taken);
    try {
      return (await taken).value;
    } catch (fault) {
      this.#known.delete(key);
      throw fault;
    }
  }
}
