/** What runs leave on disk, and when it goes. */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { RunsParts } from '../parts.ts';
import { ENDED_STATES, type Run } from '../run.ts';
import type { RunStore } from '../store/run-store.ts';
import { OUTPUT_FILES } from './live-session.ts';
import { runsFolder } from './places.ts';

/** A place that was looked at. */
export interface CollectedPlace {
  readonly path: string;
  readonly reason: string;
  readonly isRemoved: boolean;
}

async function worktreeOf(parts: Pick<RunsParts, 'worktrees'>, { worktree }: Run) {
  const service = worktree && (await parts.worktrees());
  const made = (await service?.list())?.find(({ folder }) => folder === worktree?.folder);
  return service && made && { service, made };
}

/** The run is over: its worktree is nobody's any more, and goes when nothing was done in it. */
export async function releaseWorktree(parts: Pick<RunsParts, 'worktrees'>, store: RunStore, run: Run): Promise<void> {
  const found = await worktreeOf(parts, run);
  if (found === undefined) return;
  const { isRemoved } = await found.service.release(found.made);
  if (isRemoved) await store.change(run.id, { run: withoutWorktree(run), from: ENDED_STATES });
}

/** What changes in a run whose worktree is gone. */
const withoutWorktree = ({ request }: Run) => ({ worktree: undefined, folder: request.cwd });

/**
 * Removes the worktree of a run that is about to be done, when nothing was done in it: whoever hears of the end then
 * hears of no changes to take over. Gives what changes in the run.
 */
export async function leaveUntouched(
  { worktrees, log }: Pick<RunsParts, 'worktrees' | 'log'>,
  run: Run,
): Promise<Partial<ReturnType<typeof withoutWorktree>>> {
  // A host of the fleet reads the worktree once more when the end is stored.
  if (run.worktree === undefined || run.host !== undefined) return {};
  try {
    const found = await worktreeOf({ worktrees }, run);
    if (found === undefined || !(await found.service.status(found.made)).isUntouched) return {};
    const { isRemoved } = await found.service.release(found.made);
    return isRemoved ? withoutWorktree(run) : {};
  } catch (fault) {
    // What the worker said counts all the same; the keeper tries again when the run is over.
    log.warn(`the worktree of run ${run.id} could not be looked at: ${messageOf(fault)}`);
    return {};
  }
}

/** Removes the worktree of a run that is forgotten. Gives what stays because it holds work. */
export async function removeWorktree(
  parts: Pick<RunsParts, 'worktrees'>,
  run: Run,
  force: boolean,
): Promise<readonly string[]> {
  const found = await worktreeOf(parts, run);
  if (found === undefined) return [];
  if (force) {
    await found.service.remove(found.made, { force });
    return [];
  }
  const { isRemoved } = await found.service.release(found.made);
  return isRemoved ? [] : [found.made.folder];
}

/** Removes what is clean and over: worktrees, and folders of runs that nobody knows any more. */
export async function collectPlaces(
  parts: Pick<RunsParts, 'worktrees' | 'store' | 'folders'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly CollectedPlace[]> {
  const store = await parts.store();
  const runs = await store.list();
  const service = await parts.worktrees();
  // Those of runs that are over are released first, also where the keeper was killed before it could.
  if (!dryRun)
    for (const run of runs.filter(({ state }) => ENDED_STATES.includes(state)))
      await releaseWorktree(parts, store, run);
  const worktrees = (await service?.collect({ dryRun })) ?? [];
  const known = new Set(runs.map(({ id }) => id));
  return [
    ...worktrees.map(({ worktree, reason, isRemoved }) => ({ path: worktree.folder, reason, isRemoved })),
    ...(await collectFolders(runsFolder(parts.folders.state), known, dryRun)),
    ...(await collectScratch(runsFolder(parts.folders.state), runs, dryRun)),
  ];
}

async function collectFolders(folder: string, known: ReadonlySet<string>, dryRun: boolean): Promise<CollectedPlace[]> {
  const places: CollectedPlace[] = [];
  for (const entry of existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : []) {
    if (!entry.isDirectory() || known.has(entry.name) || !/^[a-z0-9]{16,}$/.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (!dryRun) await rm(path, { recursive: true, force: true });
    places.push({ path, reason: 'its run was removed', isRemoved: !dryRun });
  }
  return places;
}

async function collectScratch(folder: string, runs: readonly Run[], dryRun: boolean): Promise<CollectedPlace[]> {
  const places: CollectedPlace[] = [];
  for (const { id, state, alias } of runs) {
    const own = join(folder, id);
    if (!ENDED_STATES.includes(state) || !existsSync(own)) continue;
    for (const name of await readdir(own)) {
      if (!name.startsWith('session-')) continue;
      for (const path of ['scratch', ...OUTPUT_FILES].map((entry) => join(own, name, entry)).filter(existsSync)) {
        if (!dryRun) await rm(path, { recursive: true, force: true });
        places.push({ path, reason: `the run ${alias} has ended`, isRemoved: !dryRun });
      }
    }
  }
  return places;
}
