import type { FileViews } from './api.ts';

const MAX_PATHS = 30;
const MAX_SESSION_BYTES = 32 * 1024 * 1024;
const MAX_SESSIONS = 16;

interface SessionViews {
  readonly files: Map<string, Uint8Array>;
  bytes: number;
}

/** Keeps the newest views of each session within fixed bounds; an edit without one is checked by its anchors alone. */
export function createViews(): FileViews {
  // Maps keep the order of insertion, so the first entry is the one that was used longest ago.
  const sessions = new Map<string, SessionViews>();

  const open = (session: string): SessionViews => {
    const views = sessions.get(session) ?? { files: new Map<string, Uint8Array>(), bytes: 0 };
    sessions.delete(session);
    sessions.set(session, views);
    for (const oldest of sessions.keys()) if (sessions.size > MAX_SESSIONS) sessions.delete(oldest);
    return views;
  };

  const drop = (views: SessionViews, path: string): void => {
    views.bytes -= views.files.get(path)?.byteLength ?? 0;
    views.files.delete(path);
  };

  return {
    record(session, path, content) {
      const views = open(session);
      drop(views, path);
      if (content.byteLength > MAX_SESSION_BYTES) return;
      views.files.set(path, content);
      views.bytes += content.byteLength;
      for (const oldest of views.files.keys()) {
        if (views.files.size <= MAX_PATHS && views.bytes <= MAX_SESSION_BYTES) break;
        drop(views, oldest);
      }
    },
    find: (session, path) => sessions.get(session)?.files.get(path),
  };
}
