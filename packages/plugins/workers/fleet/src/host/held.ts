/** The runs that a host has, and the tokens with which it may write to them. */

/** Why a host lets go of a run: it has nothing more to do for it, or another host has taken it. */
export type Release = 'over' | 'lost';

interface Entry {
  readonly token: string;
  readonly ended: Promise<Release>;
  end(why: Release): void;
}

/** Runs by their id. */
export class Held {
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  get runs(): readonly string[] {
    return [...this.#entries.keys()];
  }

  token(run: string): string | undefined {
    return this.#entries.get(run)?.token;
  }

  /** Adds a run that was just claimed; resolves when the host lets go of it. */
  add(run: string, token: string): Promise<Release> {
    let end: Entry['end'] = () => undefined;
    const ended = new Promise<Release>((resolve) => (end = resolve));
    this.#entries.set(run, { token, ended, end });
    return ended;
  }

  end(run: string, why: Release): void {
    const entry = this.#entries.get(run);
    this.#entries.delete(run);
    entry?.end(why);
  }
}
