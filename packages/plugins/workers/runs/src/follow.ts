/** Gives everything that a run has written and done, then what comes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runs } from './api.ts';
import { ENDED_STATES, type Run, type RunNews, type RunState } from './run.ts';
import type { RunStore } from './store/run-store.ts';

const PAGE = 500;
/** A keeper that was killed is missed after this time at most. */
const KEEPER_LOOK_MS = 2_000;
/** States in which nothing comes until somebody does something. */
const IDLE: readonly RunState[] = ['waiting', 'hijacked', ...ENDED_STATES];

/** The place of a piece of news in the log of all runs. */
export function placeOf(news: RunNews): number {
  return news.type === 'output' ? news.output.place : news.event.place;
}

/** The place of the newest news of a run; 0 when there is none. */
export async function newestPlace(service: Pick<Runs, 'follow'>, run: Run, signal: AbortSignal): Promise<number> {
  let place = 0;
  for await (const news of service.follow(run, { signal, live: false })) place = placeOf(news);
  return place;
}

/** How a run is followed. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Ends also when the run waits for somebody. */
  readonly untilIdle?: boolean;
  /** The place in the log after which to begin. */
  readonly after?: number;
  /** False: what is there, and no more. */
  readonly live?: boolean;
}

/** Follows a run. `ensureKeeper` is asked again and again, because a run that nobody keeps would never end. */
export async function* followRun(
  store: RunStore,
  id: string,
  ensureKeeper: () => Promise<void>,
  { signal, untilIdle = false, after = 0, live = true }: FollowOptions,
): AsyncGenerator<RunNews> {
  let wake = () => {};
  let isWoken = false;
  const stop = store.watch(() => {
    isWoken = true;
    wake();
  }, id);
  let lookedAt = Number.NEGATIVE_INFINITY;
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (let place = after; !signal.aborted;) {
      isWoken = false;
      // Asked before the news is read: what is told before the end is then read before it.
      const run = await store.get(id);
      let isWhole = false;
      while (!isWhole) {
        const news = await store.news(id, place, PAGE);
        for (const entry of news) {
          place = placeOf(entry);
          yield entry;
        }
        isWhole = news.length < PAGE;
      }
      if (!live || run === undefined || isOver(run, untilIdle)) return;
      // Not with each piece of news: looking for the keeper costs more than reading it.
      if (!IDLE.includes(run.state) && performance.now() - lookedAt >= KEEPER_LOOK_MS) {
        lookedAt = performance.now();
        await ensureKeeper();
      }
      if (isWoken || signal.aborted) continue;
      const rest = new AbortController();
      wake = () => rest.abort();
      await sleep(KEEPER_LOOK_MS, undefined, { signal: rest.signal, ref: true }).catch(() => undefined); // Woken.
      wake = () => {};
    }
  } finally {
    stop();
    signal.removeEventListener('abort', onAbort);
  }
}

function isOver({ state }: Run, untilIdle: boolean): boolean {
  return ENDED_STATES.includes(state) || (untilIdle && IDLE.includes(state));
}
