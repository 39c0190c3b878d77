/** Events in order, each with a place. Whoever comes back with the place of the last one that it saw gets exactly what it has missed. */
import { randomBytes } from 'node:crypto';

/** An event with its id: `<log>.<place>`. */
export interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  /** As JSON: it is written once, however many read it. */
  readonly json: string;
}

/** How much of the past a log holds. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What an event costs beside its text. */
const EVENT_BYTES = 200;
/** How many a reader takes at once: one that has stopped reading must not hold on to more of the past than the log does. */
const BATCH = 64;

/** A log in memory. What is older than it holds has to be loaded anew, which readers are told by `undefined`. */
export class EventLog {
  /** Another log, also one of the same session after a restart, has other ids. */
  readonly #name = randomBytes(6).toString('hex');
  readonly #events: LoggedEvent[] = [];
  readonly #readers = new Set<() => void>();
  readonly #maxBytes: number;
  #first = 1;
  #bytes = 0;
  #isClosed = false;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The place of the newest event. */
  get place(): number {
    return this.#first + this.#events.length - 1;
  }

  /** The place before the oldest event that the log still holds. */
  get beginning(): number {
    return this.#first - 1;
  }

  /** The id of a place. */
  idOf(place: number): string {
    return `${this.#name}.${place}`;
  }

  add(type: string, data: unknown): number {
    const json = JSON.stringify(data);
    this.#events.push({ id: this.idOf(this.place + 1), type, json });
    this.#bytes += json.length + EVENT_BYTES;
    if (this.#bytes > this.#maxBytes) this.#forget();
    for (const wake of this.#readers) wake();
    return this.place;
  }

  /** Drops the oldest quarter: one at a time would move all others each time. */
  #forget(): void {
    let count = 0;
    while (this.#bytes > this.#maxBytes * 0.75 && count < this.#events.length - 1) {
      this.#bytes -= (this.#events[count]?.json.length ?? 0) + EVENT_BYTES;
      count += 1;
    }
    this.#events.splice(0, count);
    this.#first += count;
  }

  /** What comes after an event; undefined when the log does not reach back to it. */
  after(id: string, limit = Number.POSITIVE_INFINITY): readonly LoggedEvent[] | undefined {
    const [name, place] = id.split('.');
    const index = Number(place) + 1 - this.#first;
    if (name !== this.#name || !Number.isInteger(index) || index < 0 || index > this.#events.length) return undefined;
    return this.#events.slice(index, index + limit);
  }

  /** Follows the log from an event on. Ends with `undefined` when what comes next is not there any more. */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<LoggedEvent | undefined> {
    let last = id;
    let wake = () => {};
    const stir = () => wake();
    this.#readers.add(stir);
    signal.addEventListener('abort', stir);
    try {
      while (!signal.aborted) {
        const news = this.after(last, BATCH);
        if (!news) return yield undefined;
        for (const event of news) {
          yield event;
          last = event.id;
        }
        if (news.length > 0) continue;
        if (this.#isClosed) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#readers.delete(stir);
      signal.removeEventListener('abort', stir);
    }
  }

  /** Nothing comes any more. */
  close(): void {
    this.#isClosed = true;
    for (const wake of this.#readers) wake();
  }
}
