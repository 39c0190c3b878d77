/** What other plugins may use of session export. */
import { service } from '@tenon/kernel';
import type { Session } from '@tenon/sessions/api';

/** Turns sessions into text, and into pages that need nothing but a browser. */
export interface SessionExporter {
  html(session: Session): Promise<string>;
  /** All branches as text, a line for each entry with its id; the active branch is marked with `*`. */
  tree(session: Session): Promise<string>;
  /** Writes the page; gives the path of the file. Without a name it gets one after the session, in `cwd`. */
  write(session: Session, options: { readonly cwd: string; readonly file?: string }): Promise<string>;
}

/** The exporter of sessions. */
export const sessionExporter = service<SessionExporter>('session-exporter');
