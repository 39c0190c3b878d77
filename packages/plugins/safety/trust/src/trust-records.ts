/** What the user decided about folders. */
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@tenon/host';
import { changeRecord, readState, recordForm } from '@tenon/state-files';
import { RESERVED_IN_PROJECT } from '@tenon/sandbox/api';
import type { TrustRecord, TrustState } from './api.ts';
import { baselineOf, type ProgramPin } from './content/content-pins.ts';
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

/** What a decision is about. */
export interface Seen {
  /** The triggers to look for. */
  readonly names: readonly string[];
  /** Only that is seen beside what was seen already: whoever answers a question about some new files has not agreed to others. */
  readonly shown?: readonly string[] | undefined;
  /** The bytes of the programs that were asked about. */
  readonly pins?: Readonly<Record<string, ProgramPin>> | undefined;
}

/** Records a decision; `undefined` forgets one. Decisions about folders below stay. */
export async function decide(
  file: string,
  folder: string,
  state: Exclude<TrustState, 'unknown'> | undefined,
  seen: Seen,
): Promise<TrustRecord | undefined> {
  const record = await changeRecord(file, FORM, folder, async (old) => {
    if (state === undefined) return undefined;
    const since = old?.state === state ? old.since : new Date().toISOString();
    return { state, since, ...(state === 'trusted' && (await seenNow(folder, old, seen))) };
  });
  return record && { folder, ...record };
}

/** Remembers the bytes of programs that a trusted folder has had all along. */
export async function rememberPins(
  file: string,
  folder: string,
  pins: Readonly<Record<string, ProgramPin>>,
  names: readonly string[],
): Promise<void> {
  await changeRecord(file, FORM, folder, async (old) => {
    if (old?.state !== 'trusted') return old;
    const files = old.content?.files ?? baselineOf(folder, defining(old.saw ?? names));
    return { ...old, content: { files, programs: { ...old.content?.programs, ...pins } } };
  });
}

async function seenNow(
  folder: string,
  old: Omit<TrustRecord, 'folder'> | undefined,
  { names, shown, pins }: Seen,
): Promise<Required<Pick<TrustRecord, 'saw' | 'content'>>> {
  if ((shown === undefined && pins === undefined) || old?.state !== 'trusted') {
    const saw = await triggersBelow(folder, names);
    return { saw, content: { files: baselineOf(folder, defining(saw)), programs: { ...pins } } };
  }
  const before = old.saw ?? (await triggersUpTo(folder, folder, names));
  const files = old.content?.files ?? baselineOf(folder, defining(before));
  return {
    saw: [...new Set([...before, ...(shown ?? [])])],
    content: {
      files: { ...files, ...baselineOf(folder, shown ?? []) },
      programs: { ...old.content?.programs, ...pins },
    },
  };
}

/** Tenon's own folder defines things, too, although whoever made it may have it used. */
export function defining(triggers: readonly string[]): string[] {
  return [...new Set([...triggers, RESERVED_IN_PROJECT])];
}
