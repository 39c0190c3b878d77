/** Routes of worktrees: what there is, what it takes, and cleaning up. */
import { basename, dirname } from 'node:path';
import type { CollectedWorktree, Worktrees } from '@tenon/worktrees/api';
import { messageOf } from '@tenon/kernel';
import type { Handlers } from '../server/app.ts';
import type { WorktreeRow } from '../shapes.ts';
import { folderBytes } from './folder-bytes.ts';

/** Where worktrees come from; undefined where the plugin is switched off. */
export interface WorktreeParts {
  worktrees(): Promise<Worktrees | undefined>;
}

/** Folders that are counted at the same time. */
const AT_ONCE = 4;

/** The routes over the worktrees. */
export function worktreeHandlers(parts: WorktreeParts): Pick<Handlers, 'listWorktrees' | 'removeWorktrees'> {
  return {
    async listWorktrees() {
      const service = await parts.worktrees();
      if (!service) return { worktrees: [] };
      const waiting = [...(await service.collect({ dryRun: true }))].entries();
      const rows: WorktreeRow[] = [];
      const count = async () => {
        for (const [index, found] of waiting) rows[index] = await rowOf(service, found);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, count));
      return { worktrees: rows };
    },
    async removeWorktrees({ body }) {
      const service = await parts.worktrees();
      // Looked at again: somebody may have begun to work there since the list was shown.
      const found = new Map((await service?.collect({ dryRun: true }))?.map((entry) => [entry.worktree.folder, entry]));
      const removed: string[] = [];
      const kept: { folder: string; reason: string }[] = [];
      for (const folder of new Set(body.folders)) {
        const entry = found.get(folder);
        if (!service || !entry) kept.push({ folder, reason: 'Tenon has made no worktree there' });
        else if (!entry.isRemoved) kept.push({ folder, reason: entry.reason });
        else
          await service.remove(entry.worktree).then(
            () => removed.push(folder),
            (fault: unknown) => kept.push({ folder, reason: messageOf(fault) }),
          );
      }
      return { removed, kept };
    },
  };
}

async function rowOf(service: Worktrees, { worktree, isRemoved, reason }: CollectedWorktree): Promise<WorktreeRow> {
  const { name, folder, branch, repository } = worktree;
  const bytes = await folderBytes(folder);
  return {
    name,
    folder,
    ...(branch !== undefined && { branch }),
    // `/home/me/shop/.git` is the shop.
    repository: basename(repository) === '.git' ? basename(dirname(repository)) : basename(repository, '.git'),
    ...(bytes !== undefined && { bytes }),
    state: await service.status(worktree).then(stateText, () => 'its repository is gone'),
    canGo: isRemoved,
    reason,
  };
}

function stateText({ state, changes, onlyHere, isUntouched }: Awaited<ReturnType<Worktrees['status']>>): string {
  if (state === 'gone') return 'gone';
  if (isUntouched) return 'untouched';
  return `${changes} changed, ${onlyHere} commits only here`;
}
