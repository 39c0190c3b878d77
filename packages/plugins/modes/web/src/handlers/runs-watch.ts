/** Tells clients when a run changes. Runs are kept by another process, so the list is looked at, and only while somebody watches. */
import { type Logger, messageOf } from '@tenon/kernel';
import type { Run, Runs } from '@tenon/runs/api';
import type { EventLog } from '../server/event-log.ts';

const LOOK_MS = 500;
const LIMIT = 200;

/** The watch over the list of runs. */
export class RunsWatch {
  readonly #runs: () => Promise<Runs>;
  readonly #events: EventLog;
  readonly #log: Logger;
  readonly #known = new Map<string, string>();
  #watchers = 0;
  #isLooking = false;

  constructor(runs: () => Promise<Runs>, events: EventLog, log: Logger) {
    this.#runs = runs;
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
    // What is there at first is in the list that every client loads.
    let isFirst = this.#known.size === 0;
    let failures = 0;
    while (this.#watchers > 0) {
      try {
        this.#compare(await (await this.#runs()).list({ limit: LIMIT }), isFirst);
        isFirst = false;
        failures = 0;
      } catch (fault) {
        // Those who watch stay, so the next look may succeed; it is told once.
        if (failures++ === 0) this.#log.warn(`runs cannot be watched: ${messageOf(fault)}`);
      }
      const wait = LOOK_MS * Math.min(2 ** failures, 20);
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
    }
    this.#isLooking = false;
  }

  #compare(runs: readonly Run[], isFirst: boolean): void {
    const seen = new Set(runs.map(({ id }) => id));
    for (const run of runs) {
      const text = JSON.stringify(run);
      if (this.#known.get(run.id) === text) continue;
      this.#known.set(run.id, text);
      if (!isFirst) this.#events.add('run', run);
    }
    for (const id of this.#known.keys()) {
      if (seen.has(id)) continue;
      this.#known.delete(id);
      this.#events.add('run_removed', { id });
    }
  }
}
