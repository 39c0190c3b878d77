/** SIGTERM for a command that must not be hurried: the program gives others three seconds, a drain may take hours. */

/** Calls `drain` at the first SIGTERM in place of all who listen now; a second one ends the process. Returns how to stop that. */
export function onTerminate(drain: () => void): () => void {
  const others = process.listeners('SIGTERM');
  for (const listener of others) process.off('SIGTERM', listener);
  let isDraining = false;
  const own = () => {
    // Its workers outlive it: the next process of this host, or another host, goes on with its runs.
    if (isDraining) process.exit(143);
    isDraining = true;
    drain();
  };
  process.on('SIGTERM', own);
  return () => {
    process.off('SIGTERM', own);
    for (const listener of others) process.on('SIGTERM', listener);
  };
}
