import type { EditorFiles, FileViews } from './api.ts';

const MAX_PATHS = 30;
const MAX_VIEWS_OF_A_PATH = 4;
const MAX_SESSION_BYTES = 32 * 1024 * 1024;
const MAX_SESSIONS = 16;

interface SessionViews {
  /** Newest view first. */
  readonly files: Map<string, Uint8Array[]>;
  bytes: number;
}

/** Keeps the newest views of each session within fixed bounds; an edit without one is checked by its anchors alone. */
export function createViews(): FileViews {
  // Maps keep the order of insertion, so the first entry is the one that was used longest ago.
  const sessions = new Map<string, SessionViews>();
  let editor: EditorFiles | undefined;

  const open = (session: string): SessionViews => {
    const views = sessions.get(session) ?? { files: new Map<string, Uint8Array[]>(), bytes: 0 };
    sessions.delete(session);
    sessions.set(session, views);
    for (const oldest of sessions.keys()) if (sessions.size > MAX_SESSIONS) sessions.delete(oldest);
    return views;
  };

  /** Takes the path out and puts it in again as the newest one, with these views. */
  const put = (views: SessionViews, path: string, contents: Uint8Array[]): void => {
    for (const { byteLength } of views.files.get(path) ?? []) views.bytes -= byteLength;
    views.files.delete(path);
    if (contents.length === 0) return;
    for (const { byteLength } of contents) views.bytes += byteLength;
    views.files.set(path, contents);
  };

  /** Old views of files go before the newest view of any file does. */
  const makeRoom = (views: SessionViews): void => {
    const isOver = () => views.files.size > MAX_PATHS || views.bytes > MAX_SESSION_BYTES;
    for (const contents of views.files.values()) {
      while (isOver() && contents.length > 1) views.bytes -= contents.pop()?.byteLength ?? 0;
    }
    for (const oldest of views.files.keys()) if (isOver()) put(views, oldest, []);
  };

  return {
    record(session, path, content) {
      const views = open(session);
      const older = (views.files.get(path) ?? []).filter((view) => Buffer.compare(view, content) !== 0);
      const isTooLarge = content.byteLength > MAX_SESSION_BYTES;
      put(views, path, isTooLarge ? [] : [content, ...older].slice(0, MAX_VIEWS_OF_A_PATH));
      makeRoom(views);
    },
    find: (session, path) => sessions.get(session)?.files.get(path)?.[0],
    history: (session, path) => sessions.get(session)?.files.get(path) ?? [],
    settle(session, path) {
      const views = sessions.get(session);
      const newest = views?.files.get(path)?.[0];
      if (views && newest) put(views, path, [newest]);
    },
    get editor() {
      return editor;
    },
    useEditor(used) {
      editor = used;
      return () => void (editor === used && (editor = undefined));
    },
  };
}
