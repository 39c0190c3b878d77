/**
 * Paths as the system has them. Names need not be UTF-8, so a path is kept as a string with one character per byte
 * (`latin1`): it compares, sorts and serves as a key without losing anything.
 */

/** A path relative to the workspace, one character per byte. */
export type BytePath = string;

/** What file system calls take. */
export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** A path in a form that people read. */
export function textOf(path: BytePath): string {
  return bytesOf(path).toString('utf8');
}

/** The byte path for a path that is text. */
export function bytePath(text: string): BytePath {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The folder that a path lies in; empty at the top. */
export function parentOf(path: BytePath): BytePath {
  const at = path.lastIndexOf('/');
  return at < 0 ? '' : path.slice(0, at);
}

/** The last name of a path. */
export function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** All folders that a path lies in, outermost first. */
export function ancestorsOf(path: BytePath): BytePath[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** Folders of git and of Tenon, wherever they lie: they are never kept and never written. */
export const RESERVED_NAMES: readonly string[] = ['.git', '.tenon'];

/** Whether a path from a record may be written: inside the workspace, and outside of what git and Tenon keep for themselves. */
export function isRestorable(path: BytePath): boolean {
  const parts = path.split('/');
  return parts.every(
    (part) =>
      part !== '' &&
      part !== '.' &&
      part !== '..' &&
      !part.includes('\0') &&
      !RESERVED_NAMES.includes(part.toLowerCase()),
  );
}
