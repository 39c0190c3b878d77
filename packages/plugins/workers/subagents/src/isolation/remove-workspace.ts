/** Removes the folder of a subagent. */
import { chmodSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from './isolation-errors.ts';
import { mountsIn, unmountOverlay } from './overlay-mount.ts';
import type { WorkspacePlaces } from './places.ts';

/** Removes what the subagent saw. Nothing is removed below a mount. */
export async function removeWorkspace({ open }: Pick<WorkspacePlaces, 'open'>): Promise<void> {
  for (const mount of mountsIn(open)) await unmountOverlay(mount);
  const [left] = mountsIn(open);
  if (left !== undefined) throw errors.create('SUBAGENTS_MOUNT_LEFT', { folder: left });
  try {
    await rm(open, { recursive: true, force: true, maxRetries: 3 });
  } catch (fault) {
    if (!['EACCES', 'EPERM'].includes((fault as NodeJS.ErrnoException).code ?? '')) throw fault;
    // The subagent has closed folders to their owner.
    openFolders(open);
    await rm(open, { recursive: true, force: true, maxRetries: 3 });
  }
}

function openFolders(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) openFolders(join(folder, entry.name));
}
