/** What the user decided about packs. */
import { join } from 'node:path';
import type { Permissions } from '@tenon/kernel';
import * as stateFiles from '@tenon/state-files';
import { errors } from './errors.ts';

/** Where a pack comes from. */
export type PackLevel = 'user' | 'linked' | 'installed' | 'project';

/** How far a pack is trusted: in a process of its own under a sandbox, or inside Tenon. */
export type Trust = 'isolated' | 'full';

/** What the user decided about the pack in one folder. */
export interface PackRecord {
  readonly id: string;
  readonly enabled: boolean;
  readonly trust: Trust;
  readonly linked?: boolean;
  /** The plugin of a marketplace that it is, and the lock files that may list it. */
  readonly installed?: { readonly plugin: string; readonly locks: readonly string[] };
  /** What was granted, and its fingerprint; absent when nothing was. */
  readonly granted?: Permissions;
  readonly grantedHash?: string;
  readonly grantedAt?: string;
  /** When full trust was given. */
  readonly fullSince?: string;
}

/** Folder of the pack -> what was decided. Folders rather than ids: a project must not inherit another pack's trust. */
export type PackRecords = Readonly<Record<string, PackRecord>>;

const FORM = stateFiles.recordForm<PackRecord>({
  version: 1,
  section: 'packs',
  damaged: (file, reason, cause) => errors.create('PACKS_RECORDS_INVALID', { file, reason }, cause),
});

/** The file in which the decisions are. */
export function recordsFile(dataFolder: string): string {
  return join(dataFolder, 'packs.json');
}

/** Reads the decisions. A damaged file is an error: treating it as empty would lose what was refused. */
export function readRecords(file: string): PackRecords {
  return stateFiles.readStateSync(file, FORM);
}

/** Changes the decision about one folder; `change` gets what is there now and gives nothing to forget it. */
export async function changeRecord(
  file: string,
  folder: string,
  change: (record: PackRecord | undefined) => PackRecord | undefined,
): Promise<void> {
  await stateFiles.changeRecord(file, FORM, folder, change);
}
