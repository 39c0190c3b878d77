/** Plans, kept as entries of their session. The newest one on the active branch counts. */
import type { LiveAgents } from '@tenon/agent/api';
import type { Session } from '@tenon/sessions/api';
import type { TodoPhase, Todos } from './api.ts';
import { tidy } from './todo-plan.ts';

const ENTRY = 'todos';
const MAX_MEMORY = 64;

/** What the store needs. */
export interface TodoStoreHost {
  readonly agents: LiveAgents;
  changed(session: string, phases: readonly TodoPhase[]): void;
}

/** Plans of live sessions; those of calls by hand are kept in memory. */
export class TodoStore implements Todos {
  readonly #host: TodoStoreHost;
  readonly #memory = new Map<string, readonly TodoPhase[]>();
  readonly #news = new Set<string>();
  /** Screens ask for every frame, and the session may be long. */
  readonly #seen = new WeakMap<Session, { readonly leafId: string | null; readonly phases: readonly TodoPhase[] }>();

  constructor(host: TodoStoreHost) {
    this.#host = host;
  }

  isKept(session: string): boolean {
    return this.#host.agents.get(session) !== undefined;
  }

  phases(id: string): readonly TodoPhase[] {
    const session = this.#host.agents.get(id)?.session;
    return session ? this.#newest(session) : (this.#memory.get(id) ?? []);
  }

  #newest(session: Session): readonly TodoPhase[] {
    const { leafId } = session;
    const seen = this.#seen.get(session);
    if (seen?.leafId === leafId) return seen.phases;
    const phases = newest(session);
    this.#seen.set(session, { leafId, phases });
    return phases;
  }

  async set(id: string, phases: readonly TodoPhase[], options: { readonly silent?: boolean } = {}) {
    const kept = tidy(phases);
    const session = this.#host.agents.get(id)?.session;
    if (session) await session.append('custom', { customType: ENTRY, data: { phases: kept } });
    else this.#remember(id, kept);
    if (options.silent) this.#news.delete(id);
    else if (kept.length > 0) this.#news.add(id);
    this.#host.changed(id, kept);
    return kept;
  }

  /** True once after somebody else than the model set the plan. */
  takeNews(session: string): boolean {
    return this.#news.delete(session);
  }

  #remember(id: string, phases: readonly TodoPhase[]): void {
    this.#memory.delete(id);
    this.#memory.set(id, phases);
    for (const oldest of this.#memory.keys()) if (this.#memory.size > MAX_MEMORY) this.#memory.delete(oldest);
  }
}

function newest(session: Session): readonly TodoPhase[] {
  // Only entries that can hold a plan are read: a session may be long.
  const places = session.path().filter(({ type }) => type === 'custom');
  const entry = places
    .toReversed()
    .map(({ id }) => session.entry(id))
    .find((candidate) => candidate?.type === 'custom' && candidate.customType === ENTRY);
  if (entry?.type !== 'custom') return [];
  const { phases } = (entry.data ?? {}) as { readonly phases?: readonly TodoPhase[] };
  return Array.isArray(phases) ? (phases as readonly TodoPhase[]) : [];
}
