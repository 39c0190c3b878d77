/** Looks after workspaces whose process was killed: their work is kept as a patch, mounts and folders go. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { isAlive } from '@tenon/state-files';
import type { SweptWorkspace } from './api.ts';
import { collectChanges } from './changes.ts';
import { mountOverlay, mountsIn, overlayFolders } from './overlay-mount.ts';
import { hiddenRoot, type IsolationFolders, openRoot, placesOf, type WorkspacePlaces } from './places.ts';
import { removeWorkspace } from './remove-workspace.ts';
import { readRecord, type WorkspaceRecord } from './workspace-record.ts';

const NEW_MS = 60_000;

/** Removes what killed processes left. Work that nobody has taken over stays in a patch, which is named. */
export async function sweepWorkspaces(folders: IsolationFolders): Promise<readonly SweptWorkspace[]> {
  const swept: SweptWorkspace[] = [];
  for (const name of namesIn(hiddenRoot(folders))) {
    const places = placesOf(folders, name);
    const record = readRecord(places.hidden);
    if (record ? isAlive(record.owner) : isNew(places.hidden)) continue;
    const kept = record && existsSync(places.open) ? await rescue(places, record) : undefined;
    // What cannot be read is left for a person.
    if (kept !== undefined && 'reason' in kept) {
      swept.push({ name, isRemoved: false, reason: kept.reason });
      continue;
    }
    await removeWorkspace(places);
    await rm(places.hidden, { recursive: true, force: true });
    const patch = existsSync(places.patch) ? places.patch : undefined;
    swept.push({ name, isRemoved: true, ...(patch !== undefined && { kept: patch }) });
  }
  // A folder without a record was not open yet.
  for (const name of namesIn(openRoot(folders)))
    if (!existsSync(placesOf(folders, name).hidden)) {
      await removeWorkspace(placesOf(folders, name));
      swept.push({ name, isRemoved: true });
    }
  return swept;
}

/** Its process may be about to write its record. */
function isNew(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < NEW_MS;
}

function namesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && !entry.name.endsWith('.lock') ? [entry.name] : [],
  );
}

async function rescue(places: WorkspacePlaces, record: WorkspaceRecord): Promise<{ reason: string } | undefined> {
  if (record.repositories.length === 0) return undefined;
  try {
    if (record.mode === 'overlay') {
      if (record.mount === undefined) return undefined;
      const overlay = overlayFolders(places.open, record.top);
      if (!mountsIn(places.open).includes(overlay.merged)) {
        const mounted = await mountOverlay(overlay, [record.mount]);
        if ('reason' in mounted) return { reason: `its overlay cannot be mounted: ${mounted.reason}` };
      }
    } else if (!existsSync(join(places.open, 'tree'))) return undefined;
    await collectChanges(places, record);
    return undefined;
  } catch (fault) {
    return { reason: messageOf(fault) };
  }
}
