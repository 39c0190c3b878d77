import type { PendingAction, PendingActions } from './api.ts';

const MAX_WAITING = 8;
const MAX_SESSIONS = 64;

/** Keeps previews until they are resolved. */
export function createPendingActions(): PendingActions {
  const sessions = new Map<string, PendingAction[]>();
  return {
    push(session, action) {
      const waiting = [...(sessions.get(session) ?? []), action].slice(-MAX_WAITING);
      sessions.delete(session);
      sessions.set(session, waiting);
      for (const oldest of sessions.keys()) if (sessions.size > MAX_SESSIONS) sessions.delete(oldest);
    },
    take: (session) => sessions.get(session)?.pop(),
    count: (session) => sessions.get(session)?.length ?? 0,
  };
}
