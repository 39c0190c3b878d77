/** The first snapshot of a session, taken while the user and the model still think. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Workspaces } from './workspaces.ts';

/** The lock is given back this often, so that a call that comes meanwhile waits no longer. */
const SLICE_MS = 400;
const REST_MS = 20;

/** Keeps everything that is not kept yet, in slices. */
export async function firstSnapshot(workspaces: Workspaces, cwd: string, signal: AbortSignal): Promise<void> {
  const workspace = await workspaces.of(cwd);
  for (;;) {
    if (signal.aborted) return;
    const { pending } = await workspace.locked(() => workspace.refresh(performance.now() + SLICE_MS), signal);
    if (pending === 0) return;
    await rest(REST_MS, undefined, { signal });
  }
}
