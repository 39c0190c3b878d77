/** `tenon worktree list` and `tenon worktree remove`. */
import type { CommandCall } from '@tenon/command-line/api';
import { didYouMean, plainLine } from '@tenon/wording';
import type { Worktree, Worktrees } from './api.ts';
import { errors } from './errors.ts';
import { describeStatus } from './status.ts';

/** Lists what there is. */
export async function listWorktrees(service: Worktrees, { flags, io, cwd }: CommandCall): Promise<void> {
  const found = await service.list(flags['all'] === true ? undefined : cwd);
  const rows = [];
  for (const worktree of found) rows.push({ ...worktree, status: await service.status(worktree) });
  if (flags['json'] === true) return io.json({ worktrees: rows });
  if (rows.length === 0) await io.out('There are no worktrees. `tenon --worktree NAME -p "…"` works in one.\n');
  for (const { name, branch, folder, status } of rows) {
    const holds = describeStatus(status) || 'nothing new';
    const state = status.state === 'gone' ? `its folder is gone; ${holds}` : holds;
    await io.out(`${plainLine(name)}  ${plainLine(branch ?? '(no branch)')}  ${state}\n  ${plainLine(folder)}\n`);
  }
}

/** Removes one. */
export async function removeWorktree(service: Worktrees, { args, flags, io, cwd }: CommandCall): Promise<void> {
  const worktree = await requireWorktree(service, String(args['name'] ?? ''), cwd);
  const { lost } = await service.remove(worktree, { force: flags['force'] === true });
  const { name, branch } = worktree;
  const what = branch === undefined ? 'was removed' : `and its branch ${plainLine(branch)} were removed`;
  await io.out(`The worktree ${plainLine(name)} ${what}.\n`);
  if (lost !== undefined) await io.out(`Its last commit was ${lost}: \`git branch NAME ${lost}\` brings it back.\n`);
}

/** Removes those in which nothing was done, or says which it would remove. */
export async function collectWorktrees(service: Worktrees, { flags, io }: CommandCall): Promise<void> {
  const dryRun = flags['dry-run'] === true;
  const found = await service.collect({ dryRun });
  if (flags['json'] === true) return io.json({ worktrees: found });
  if (found.length === 0) await io.out('There are no worktrees.\n');
  for (const { worktree, isRemoved, reason } of found) {
    const what = isRemoved ? (dryRun ? 'would be removed' : 'removed') : 'stays';
    await io.out(`${plainLine(worktree.name)}: ${what}, ${plainLine(reason)}\n  ${plainLine(worktree.folder)}\n`);
  }
}

/** By its name in the repository of the folder, else by its folder, else by a name that only one has. */
async function requireWorktree(service: Worktrees, wanted: string, cwd: string): Promise<Worktree> {
  const [here, all] = [await service.list(cwd), await service.list()];
  const named = all.filter(({ name }) => name === wanted);
  const match =
    here.find(({ name }) => name === wanted) ??
    all.find(({ folder }) => folder === wanted) ??
    (named.length === 1 ? named[0] : undefined);
  if (match) return match;
  const names = here.map(({ name }) => name);
  throw errors.create('WORKTREES_UNKNOWN', { name: wanted, hint: didYouMean(wanted, names) });
}
