/** Which tools with lasting effects earlier attempts have called, so that the next one does not call them blindly again. */
import type { SideEffect } from '../exchange/contract.ts';
import type { RunSession } from '../run.ts';
import type { RunStore } from '../store/run-store.ts';

const PAGE = 1_000;

/** Whether a tool is meant: a name, or a prefix that ends in `*`. */
export function matchesTool(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}

/** The side effects of a run so far, by tool, in the order of their first call. */
export async function sideEffectsOf(
  store: Pick<RunStore, 'events'>,
  run: string,
  sessions: readonly Pick<RunSession, 'number' | 'attempt'>[],
  patterns: readonly string[],
): Promise<readonly SideEffect[]> {
  if (patterns.length === 0) return [];
  const attempts = new Map(sessions.map(({ number, attempt }) => [number, attempt]));
  const found = new Map<string, Set<number>>();
  for (let after = 0; ;) {
    const events = await store.events(after, PAGE, run);
    for (const { what, session } of events) {
      if (what.type !== 'worker' || what.event.type !== 'tool-start') continue;
      const { name } = what.event;
      if (!matchesTool(name, patterns)) continue;
      found.set(name, (found.get(name) ?? new Set()).add(attempts.get(session) ?? 1));
    }
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) break;
    after = last.place;
  }
  return [...found].map(([tool, numbers]) => ({ tool, attempts: [...numbers].toSorted((a, b) => a - b) }));
}
