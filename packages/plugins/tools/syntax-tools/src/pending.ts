import type { PendingAction, PendingActions } from './api.ts';

const MAX_WAITING = 8;
const MAX_SESSIONS = 64;

/** Keeps previews until they are resolved. `decide` makes the agent of a session decide about a new one. */
export function createPendingActions(decide: (session: string) => Promise<void>): PendingActions {
  const sessions = new Map<string, PendingAction[]>();
  return {
    async push(session, action) {
      const waiting = [...(sessions.get(session) ?? []), action].slice(-MAX_WAITING);
      sessions.delete(session);
      sessions.set(session, waiting);
      for (const oldest of sessions.keys()) if (sessions.size > MAX_SESSIONS) sessions.delete(oldest);
      await decide(session);
    },
    newest: (session) => sessions.get(session)?.at(-1),
    take: (session) => sessions.get(session)?.pop(),
    count: (session) => sessions.get(session)?.length ?? 0,
  };
}
