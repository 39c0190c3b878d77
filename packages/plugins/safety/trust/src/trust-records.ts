/** What the user decided about folders. */
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@tenon/host';
import { changeRecord, readState, recordForm } from '@tenon/state-files';
import type { TrustRecord, TrustState } from './api.ts';
import { errors } from './errors.ts';
import { triggersBelow, triggersUpTo } from './trigger-files.ts';

const FORM = recordForm<Omit<TrustRecord, 'folder'>>({
  version: 1,
  section: 'folders',
  problem: (folder, record) =>
    ['trusted', 'untrusted'].includes(record?.state ?? '') ? undefined : `"${folder}" has no known state`,
  damaged: (file, reason, cause) => errors.create('TRUST_RECORD_INVALID', { file, reason }, cause),
});

/** The file in which the decisions are. */
export function trustFile(dataFolder: string): string {
  return join(dataFolder, 'trust.json');
}

/** The folder without symbolic links; an error that says so when it is none. */
export async function realFolder(folder: string): Promise<string> {
  const path = await realpath(folder).catch(() => undefined);
  if (path === undefined || !(await stat(path)).isDirectory()) throw errors.create('TRUST_NO_FOLDER', { folder });
  return path;
}

/** Reads all decisions. A damaged file is an error: treating it as empty would forget what was refused. */
export async function readTrust(file: string): Promise<readonly TrustRecord[]> {
  return Object.entries(await readState(file, FORM)).map(([folder, record]) => ({ folder, ...record }));
}

/** The decision that covers a real path: its own, or that of the nearest folder above. */
export function coveringRecord(records: readonly TrustRecord[], path: string): TrustRecord | undefined {
  return records
    .filter(({ folder }) => isInside(path, folder))
    .reduce<TrustRecord | undefined>(
      (nearest, record) => (nearest === undefined || record.folder.length > nearest.folder.length ? record : nearest),
      undefined,
    );
}

/**
 * What has appeared since a folder was trusted, in it and on the way from there down to `path`, as seen from that folder. A
 * program in a sandbox cannot change what was there, but it can make what was not; without a new question Tenon would run
 * that outside of the sandbox on its next start.
 */
export async function newTriggers(
  { folder, state, saw }: TrustRecord,
  path: string,
  names: readonly string[],
): Promise<readonly string[]> {
  if (state !== 'trusted') return [];
  const present = await triggersUpTo(folder, path, names);
  // The oldest records do not say what they saw: there, only what lies in folders below counts as new.
  if (saw === undefined) return present.filter((name) => !names.includes(name));
  return present.filter((name) => !saw.includes(name));
}

/**
 * Records a decision; `undefined` forgets one. Decisions about folders below stay. `names` are the triggers to look for. With `shown`, only that is seen beside what
 * was seen already: whoever answers a question about some new files has not agreed to others.
 */
export async function decide(
  file: string,
  folder: string,
  state: Exclude<TrustState, 'unknown'> | undefined,
  triggers: { readonly names: readonly string[]; readonly shown?: readonly string[] | undefined },
): Promise<TrustRecord | undefined> {
  const record = await changeRecord(file, FORM, folder, async (old) => {
    if (state === undefined) return undefined;
    const since = old?.state === state ? old.since : new Date().toISOString();
    return { state, since, ...(state === 'trusted' && { saw: await seenNow(folder, old, triggers) }) };
  });
  return record && { folder, ...record };
}

async function seenNow(
  folder: string,
  old: Pick<TrustRecord, 'state' | 'saw'> | undefined,
  { names, shown }: Parameters<typeof decide>[3],
): Promise<string[]> {
  if (shown === undefined || old?.state !== 'trusted') return triggersBelow(folder, names);
  return [...new Set([...(old.saw ?? (await triggersUpTo(folder, folder, names))), ...shown])];
}
