/** The worktree of a run: made before its first session, found again for the others. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isInside } from '@tenon/host';
import { TenonError } from '@tenon/kernel';
import type { Worktrees } from '@tenon/worktrees/api';
import type { RunsParts } from '../parts.ts';
import type { Run, RunEventBody } from '../run.ts';
import type { RunStore } from '../store/run-store.ts';
import { checkoutAround } from './checkout.ts';
import { StartFault } from './start-fault.ts';

/** Errors of worktrees that do not matter when nobody has asked for one. */
const NO_WORKTREE = new Set(['WORKTREES_NO_GIT', 'WORKTREES_NO_REPOSITORY', 'WORKTREES_NO_COMMIT']);

/** Makes the run's worktree, or finds it again. */
export async function enterWorktree(parts: RunsParts, store: RunStore, run: Run, signal: AbortSignal): Promise<Run> {
  const { cwd, worktree: wish = 'auto' } = run.request;
  const service = await parts.worktrees();
  if (service === undefined) {
    if (run.worktree === undefined && wish !== true) return run;
    throw new StartFault('other', 'Worktrees are switched off.');
  }
  if (run.worktree === undefined && !(await isWanted(service, store, run))) return run;
  try {
    const made = await service.create(cwd, run.worktree?.name ?? run.alias, { holder: run.id });
    if (made.isReused && run.worktree !== undefined) return run;
    const { name, folder, base, branch } = made.worktree;
    const installed = made.isReused ? undefined : await service.install(made.worktree, { signal });
    // On another host, the folder of who asked is not there.
    const inside = join(folder, run.request.workspace?.below ?? belowRepository(cwd));
    const notices = [...made.notices, ...(installed === undefined ? [] : [installed])];
    const events: RunEventBody[] = notices.map((message) => ({ type: 'notice', message }));
    const changed = await store.change(run.id, {
      run: {
        worktree: { name, folder, base, ...(branch !== undefined && { branch }) },
        folder: isInside(inside, folder) && existsSync(inside) ? inside : folder,
      },
      events,
    });
    if (changed) await parts.tell({ outputs: [], events: changed.events });
    return changed?.run ?? run;
  } catch (fault) {
    if (wish !== 'auto' || !(fault instanceof TenonError) || !NO_WORKTREE.has(fault.code)) throw fault;
    return run;
  }
}

/** Whether the request or a setting says so, the task looks like it, or another run changes files in the same folder. */
async function isWanted(service: Worktrees, store: RunStore, { id, request }: Run): Promise<boolean> {
  const { task, cwd, worktree: wish = 'auto' } = request;
  const others = await store.list({ states: ['starting', 'running', 'validating', 'hijacked'] });
  const changesFiles = (run: Run) => run.folder === cwd && (run.request.mode ?? 'execute') === 'execute';
  return service.wants(task, wish, { isBusy: others.some((run) => run.id !== id && changesFiles(run)) });
}

/** Where the folder is in its checkout: a run in `packages/a` works in the same folder of its worktree. */
function belowRepository(cwd: string): string {
  const top = checkoutAround(cwd);
  return top === undefined ? '' : relative(top, cwd);
}
