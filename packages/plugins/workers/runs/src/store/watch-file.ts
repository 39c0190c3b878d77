/** Notices that another process has changed a database. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** For file systems that tell nothing, and for what got lost. */
const POLL_MS = 1_000;

/** Calls `listener` when the file, or its journal, may have changed. Does not keep the process alive. */
export function watchFile(file: string, version: () => number, listener: () => void): () => void {
  let seen = version();
  const look = () => {
    const now = version();
    if (now === seen) return;
    seen = now;
    listener();
  };
  const timer = setInterval(look, POLL_MS);
  timer.unref();
  const name = basename(file);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
      if (changed === null || changed.startsWith(name)) look();
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // The system has no watches left; looking once a second serves.
  }
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}
