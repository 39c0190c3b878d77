/** The ids that CLIs give to their sessions. */

/** A worker says its id, and the id becomes a word of a command line, also of one outside of the sandbox: it must not be an option or a path. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_][\w.:-]{0,199}$/.test(id);
}
