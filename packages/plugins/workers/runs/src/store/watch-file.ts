/** Notices that another process has changed a database. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** For file systems that tell nothing, and for what got lost. */
const POLL_MS = 1_000;

/** A write is told of while its transaction is not yet to be seen: what has not changed is looked at again. */
const AGAIN_MS: readonly number[] = [10, 50];

/** Calls `listener` when the file, or its journal, may have changed. Does not keep the process alive. */
export function watchFile(file: string, version: () => number, listener: () => void): () => void {
  let seen = version();
  let again: NodeJS.Timeout | undefined;
  const look = (looksLeft: readonly number[]) => {
    const now = version();
    if (now !== seen) {
      seen = now;
      return listener();
    }
    const [wait, ...others] = looksLeft;
    if (wait === undefined || again !== undefined) return;
    again = setTimeout(() => {
      again = undefined;
      look(others);
    }, wait).unref();
  };
  const timer = setInterval(() => look([]), POLL_MS);
  timer.unref();
  const name = basename(file);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
      if (changed === null || changed.startsWith(name)) look(AGAIN_MS);
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // The system has no watches left; looking once a second serves.
  }
  return () => {
    clearInterval(timer);
    clearTimeout(again);
    watcher?.close();
  };
}
