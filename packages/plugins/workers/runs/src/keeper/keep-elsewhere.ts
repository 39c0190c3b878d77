/** Keeps runs that come from elsewhere, in this process. */
import type { RunsParts } from '../parts.ts';
import type { KeepingOptions } from './keeping.ts';
import { Keeper } from './keeper.ts';
import { endProcesses, processTable } from './process-table.ts';
import { KeeperLost } from './session-watch.ts';

/** Works on the active runs of a store until none is left, or one is somebody else's. Workers outlive a keeper that is stopped. */
export async function keepElsewhere(own: RunsParts, options: KeepingOptions): Promise<'idle' | 'lost'> {
  const { store, worktrees, secrets, state, slots, signal, isStillOurs } = options;
  const parts: RunsParts = {
    ...own,
    folders: { ...own.folders, state },
    settings: { ...own.settings, slots },
    store: async () => store,
    worktrees: async () => worktrees,
    secrets,
    ensureKeeper: async () => undefined,
  };
  try {
    const keeper = new Keeper(parts, store, signal);
    options.begun?.(() => keeper.hurry());
    await keeper.run(isStillOurs);
    return 'idle';
  } catch (fault) {
    if (fault instanceof KeeperLost) return 'lost';
    throw fault;
  }
}

/** Kills the processes of sessions that are not this host's any more: another host does their work by now. */
export async function endOfSessions(isMeant: (run: string, session: number) => boolean): Promise<void> {
  const marks = new Set((await processTable()).flatMap(({ run }) => (run === undefined ? [] : [run])));
  const meant = [...marks].filter((mark) => {
    const at = mark.lastIndexOf(':');
    return isMeant(mark.slice(0, at), Number(mark.slice(at + 1)));
  });
  await Promise.all(meant.map((run) => endProcesses({ run }, 0)));
}
