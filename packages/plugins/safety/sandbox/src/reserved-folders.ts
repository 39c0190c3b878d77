/**
 * A folder that must not come into being inside a sandbox: bubblewrap can keep a folder unchanged, but not a name unused. So
 * an empty folder is put there while confinements need it, and taken away afterwards if nobody has used it.
 */
import { mkdirSync, rmdirSync } from 'node:fs';

const holders = new Map<string, number>();

/** Puts an empty folder at `path` and gives the function that takes it away again. */
export function reserve(path: string): () => void {
  const held = holders.get(path) ?? 0;
  if (held === 0) {
    try {
      mkdirSync(path);
    } catch {
      // It exists by now, or nobody can make it: both are as good. Bubblewrap refuses to start where neither holds.
    }
  }
  holders.set(path, held + 1);
  return () => {
    const left = (holders.get(path) ?? 1) - 1;
    if (left > 0) {
      holders.set(path, left);
      return;
    }
    holders.delete(path);
    try {
      rmdirSync(path);
    } catch {
      // Somebody has put something there, or has removed it: it is theirs now.
    }
  };
}
