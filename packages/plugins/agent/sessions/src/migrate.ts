/** Brings entries of older versions of the format up to date, one by one, in file order. */

import { randomName } from '@tenon/host';

/** An entry of any version. */
export type OldEntry = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A function that upgrades the entries of one file of the given version. */
export function upgrade(version: number): (entry: OldEntry) => OldEntry {
  const steps = [...(version < 2 ? [linkedInOrder()] : []), ...(version < 3 ? [renamedRoles] : [])];
  return (entry) => {
    const { type, id, parentId, timestamp, ...body } = steps.reduce((current, step) => step(current), entry);
    return { type, id: id as string, parentId: parentId ?? null, timestamp, ...body };
  };
}

/** Version 1 had no tree (what has a place in one keeps it, whatever the header says): each entry follows the one before it, and a compaction named the first kept one by its number. */
function linkedInOrder(): (entry: OldEntry) => OldEntry {
  const ids: string[] = [];
  return (entry) => {
    const parentId = ids.at(-1) ?? null;
    const id = typeof entry['id'] === 'string' ? entry['id'] : randomName(4);
    ids.push(id);
    if (typeof entry['id'] === 'string' && 'parentId' in entry) return entry;
    const { firstKeptEntryIndex, ...rest } = entry;
    // The number counted all lines, the header being line 0.
    const kept = typeof firstKeptEntryIndex === 'number' ? ids[firstKeptEntryIndex - 1] : undefined;
    return { ...rest, type: entry.type, id, parentId, ...(kept !== undefined && { firstKeptEntryId: kept }) };
  };
}

/** Version 2 called messages of plugins by another name. */
function renamedRoles(entry: OldEntry): OldEntry {
  const message = entry['message'] as { readonly role?: string } | undefined;
  return entry.type === 'message' && message?.role === 'hookMessage'
    ? { ...entry, message: { ...message, role: 'custom' } }
    : entry;
}
