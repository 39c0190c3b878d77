/** Chooses among several keys of one provider: one that is limited rests while the others work. */
export class KeyRing {
  readonly #restsUntil = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The first key that does not rest, else the one that rests the shortest. */
  pick(provider: string, keys: readonly string[]): string | undefined {
    const rest = (key: string) => this.#restsUntil.get(`${provider} ${key}`) ?? 0;
    return keys.find((key) => rest(key) <= this.#now()) ?? [...keys].sort((a, b) => rest(a) - rest(b))[0];
  }

  /** Lets a key rest. True when another key can take over now. */
  rest(provider: string, key: string, keys: readonly string[], ms: number): boolean {
    this.#restsUntil.set(`${provider} ${key}`, this.#now() + ms);
    return keys.some((other) => other !== key && (this.#restsUntil.get(`${provider} ${other}`) ?? 0) <= this.#now());
  }
}
