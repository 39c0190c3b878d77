/** Several sources as one stream: browsers open few connections to a server, and a page shows several things. */
import type { LoggedEvent } from './event-log.ts';

/** Something that can be followed. */
export interface Source {
  /** What comes after an event of its own; `undefined` when what comes next is not there any more. */
  follow(
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<LoggedEvent | undefined> | Promise<AsyncIterable<LoggedEvent | undefined>>;
  /** The id of its newest event: where one begins who has seen none. */
  newest?(): string;
}

interface Waiting {
  readonly name: string;
  readonly event: LoggedEvent;
  /** Lets its source go on. */
  taken(): void;
}

/**
 * Joins sources by name. The type of an event becomes `name:type`, its id the places of all sources (`lists=a.7,run=12`), so that whoever
 * comes back with the last one misses nothing of any. Where one begins with what comes, `name:at` says so; one that has lost its past says
 * `name:reset` and goes on with what comes; one that is over says `name:over`; one that fails says `name:refused` and what `toldOf` makes of it.
 */
export async function* joined(
  sources: ReadonlyMap<string, Source>,
  after: string | undefined,
  signal: AbortSignal,
  toldOf: (fault: unknown) => unknown,
): AsyncGenerator<LoggedEvent> {
  const places = new Map([...placesIn(after)].filter(([name]) => sources.has(name)));
  const waiting: Waiting[] = [];
  let wake = () => {};
  const offer = (name: string, event: LoggedEvent) =>
    new Promise<void>((taken) => {
      waiting.push({ name, event, taken });
      wake();
    });
  const pump = async (name: string, source: Source) => {
    try {
      let at = places.get(name);
      for (let isReset = true; isReset && !signal.aborted;) {
        isReset = false;
        if (at === undefined && source.newest) {
          at = source.newest();
          await offer(name, { id: at, type: 'at', json: '{}' });
        }
        for await (const event of await source.follow(at, signal)) {
          if (signal.aborted) return;
          if (event) await offer(name, event);
          else {
            isReset = true;
            at = source.newest?.();
            await offer(name, { id: at ?? '', type: 'reset', json: '{}' });
          }
        }
      }
      await offer(name, { id: '', type: 'over', json: '{}' });
    } catch (fault) {
      await offer(name, { id: '', type: 'refused', json: JSON.stringify(toldOf(fault)) });
    }
  };
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (const [name, source] of sources) void pump(name, source);
    while (!signal.aborted) {
      const next = waiting.shift();
      if (next === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const { name, event, taken } = next;
      if (event.id !== '') places.set(name, event.id);
      yield { id: idOf(places), type: `${name}:${event.type}`, json: event.json };
      taken();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Sources that wait for their turn see that nobody follows them any more.
    for (const { taken } of waiting) taken();
  }
}

function idOf(places: ReadonlyMap<string, string>): string {
  return [...places].map(([name, place]) => `${name}=${place}`).join(',');
}

/** The places of an id that joins several. */
export function placesIn(id = ''): ReadonlyMap<string, string> {
  const pairs = id.split(',').map((pair) => pair.split('='));
  return new Map(pairs.flatMap(([name = '', place]) => (place === undefined ? [] : [[name, place] as const])));
}
