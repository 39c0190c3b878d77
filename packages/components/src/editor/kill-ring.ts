/** What was killed lately, for yanking. */

const MOST_KILLS = 60;

/** Kills, the newest last; neighbouring kills become one. */
export class KillRing {
  readonly #kills: string[] = [];
  #turn = 0;

  /** All kills. */
  get kills(): readonly string[] {
    return this.#kills;
  }

  /** Adds a kill. `joined` says that it continues the last one, and on which side. */
  add(text: string, joined?: 'before' | 'after'): void {
    if (text === '') return;
    this.#turn = 0;
    const last = this.#kills.at(-1);
    if (joined && last !== undefined) {
      this.#kills[this.#kills.length - 1] = joined === 'before' ? text + last : last + text;
      return;
    }
    this.#kills.push(text);
    if (this.#kills.length > MOST_KILLS) this.#kills.shift();
  }

  /** The newest kill. */
  newest(): string | undefined {
    this.#turn = 0;
    return this.#kills.at(-1);
  }

  /** The kill before the one that was yanked last; after the oldest comes the newest again. */
  older(): string | undefined {
    if (this.#kills.length === 0) return undefined;
    this.#turn = (this.#turn + 1) % this.#kills.length;
    return this.#kills.at(-1 - this.#turn);
  }
}
