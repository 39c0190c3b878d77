/** What is kept for how long, and how contents that nobody names any more are removed. */
import { BLOB_FOLDERS } from './blob-store.ts';
import { sweepIndexCopies } from './git-facts.ts';
import type { CallRecord, Records } from './records.ts';
import type { Workspace } from './workspace.ts';

const DAY_MS = 86_400_000;
/** So many of the 256 folders are looked through at a time. */
const SLICE = 32;

let slice = 0;

/**
 * Removes expired records and a slice of the contents without a record; all of them when asked, and then gives the bytes that are left. When
 * there are more than `maxBytes`, the oldest records go until there are not.
 */
export async function sweepStore(
  workspace: Workspace,
  { keepDays, maxBytes }: { readonly keepDays: number; readonly maxBytes: number },
  everything: boolean,
): Promise<number | undefined> {
  const oldest = Date.now() - keepDays * DAY_MS;
  const { records } = workspace;
  for (const { id, at, state } of await records.heads()) {
    if (state !== 'open' && Date.parse(at) < oldest) await records.remove(id);
  }
  const all = await readAll(records);
  await sweepIndexCopies(
    workspace.indexCopies,
    new Set(all.flatMap(({ git }) => [git?.before.index, git?.after?.index]).filter((name) => name !== undefined)),
  );
  if (!everything) {
    const folders = BLOB_FOLDERS.slice(slice, slice + SLICE);
    slice = (slice + SLICE) % BLOB_FOLDERS.length;
    await workspace.blobs.sweep(inUse(workspace, all), folders);
    return undefined;
  }
  let bytes = await workspace.blobs.sweep(inUse(workspace, all), BLOB_FOLDERS);
  let ended = all.filter(({ state }) => state !== 'open');
  const open = all.filter(({ state }) => state === 'open');
  while (bytes > maxBytes && ended.length > 0) {
    // Several at a time: each round looks through the whole store.
    const victims = ended.slice(0, Math.ceil(ended.length / 4));
    for (const { id } of victims) await records.remove(id);
    ended = ended.slice(victims.length);
    bytes = await workspace.blobs.sweep(inUse(workspace, [...ended, ...open]), BLOB_FOLDERS);
  }
  return bytes;
}

async function readAll(records: Records): Promise<CallRecord[]> {
  const all: CallRecord[] = [];
  for (const id of await records.ids()) {
    const record = await records.read(id);
    if (record) all.push(record);
  }
  return all;
}

function inUse(workspace: Workspace, records: readonly CallRecord[]): ReadonlySet<string> {
  const hashes = new Set(workspace.index.hashes());
  for (const { changes } of records) {
    for (const { before, after } of changes) {
      if (before?.hash !== undefined) hashes.add(before.hash);
      if (after?.hash !== undefined) hashes.add(after.hash);
    }
  }
  return hashes;
}
