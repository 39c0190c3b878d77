/** Tells clients when something of a list changes that other processes keep. The list is looked at, and only while somebody watches. */
import { type Logger, messageOf } from '@tenon/kernel';
import type { EventLog } from '../server/event-log.ts';

const LOOK_MS = 500;

/** What is watched. */
export interface Watched {
  /** The type of its events; with `_removed` when one is gone. */
  readonly type: string;
  list(): Promise<readonly { readonly id: string }[]>;
}

/** The watch over a list. */
export class ListWatch {
  readonly #watched: Watched;
  readonly #events: EventLog;
  readonly #log: Logger;
  readonly #known = new Map<string, string>();
  #watchers = 0;
  #isLooking = false;
  #hasLooked = false;

  constructor(watched: Watched, events: EventLog, log: Logger) {
    this.#watched = watched;
    this.#events = events;
    this.#log = log;
  }

  /** Somebody watches until `signal` aborts. */
  join(signal: AbortSignal): void {
    this.#watchers += 1;
    signal.addEventListener('abort', () => (this.#watchers -= 1), { once: true });
    if (!this.#isLooking) void this.#look();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    let failures = 0;
    while (this.#watchers > 0) {
      try {
        this.#compare(await this.#watched.list());
        failures = 0;
      } catch (fault) {
        // Those who watch stay, so the next look may succeed; it is told once.
        if (failures++ === 0) this.#log.warn(`${this.#watched.type}s cannot be watched: ${messageOf(fault)}`);
      }
      const wait = LOOK_MS * Math.min(2 ** failures, 20);
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
    }
    this.#isLooking = false;
  }

  #compare(entries: readonly { readonly id: string }[]): void {
    const isFirst = !this.#hasLooked;
    const seen = new Set(entries.map(({ id }) => id));
    for (const entry of entries) {
      const text = JSON.stringify(entry);
      if (this.#known.get(entry.id) === text) continue;
      this.#known.set(entry.id, text);
      if (!isFirst) this.#events.add(this.#watched.type, entry);
    }
    for (const id of this.#known.keys()) {
      if (seen.has(id)) continue;
      this.#known.delete(id);
      this.#events.add(`${this.#watched.type}_removed`, { id });
    }
    this.#hasLooked = true;
    // Changes are told from here on: a client that has loaded the list before loads it once more.
    if (isFirst) this.#events.add('looked', { type: this.#watched.type });
  }
}
