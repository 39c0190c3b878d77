/** Whether a pack may start, and as what: decided from what the user granted and what the pack asks for now. */
import type { Permissions } from '@tenon/kernel';
import { addedPermissions, describePermissions, wantedPermissions } from '@tenon/pack-host/api';
import type { FoundPack } from './find-packs.ts';
import type { Trust } from './trust-records.ts';

/** The decision about one pack. */
export type Decision =
  | { readonly start: true; readonly trust: Trust }
  | { readonly start: false; readonly reason: string };

/** Decides about a pack. */
export function mayStart({ manifest, level, record, reach = [] }: FoundPack): Decision {
  const { id } = manifest;
  if (record?.enabled === false) return { start: false, reason: 'it was disabled' };
  // Full trust is never taken from a project's folder, whatever the record says: its code changes with every pull.
  if (record?.trust === 'full' && level !== 'project') return { start: true, trust: 'full' };
  if (level === 'project' && record?.granted === undefined) {
    return {
      start: false,
      reason: `it comes with this project and was not trusted yet; see \`tenon plugin trust ${id}\``,
    };
  }
  if (reach.length > 0) return { start: false, reason: `${reach.join('; ')}, which is not for packs` };
  const added = describePermissions(newPermissions(record?.granted, wantedPermissions(manifest)));
  if (added.length === 0) return { start: true, trust: 'isolated' };
  const what = record?.granted === undefined ? 'it wants to' : 'it now also wants to';
  return { start: false, reason: `${what} ${added.join(', ')}; grant that with \`tenon plugin trust ${id}\`` };
}

/** What a pack asks for that was not granted. */
export function newPermissions(granted: Permissions | undefined, wanted: Permissions | undefined): Permissions {
  return addedPermissions(granted, wanted);
}
