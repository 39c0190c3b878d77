import { prunedIn, prunedNotice, type Session, type SessionEntry } from '@tenon/sessions/api';

/**
 * The end of the branch that a model still sees: from the first entry that the latest compaction kept. What lies before it
 * is not even read, so that a long session costs no more to summarize again than a short one.
 */
export function activeBranch(session: Session): readonly SessionEntry[] {
  const newestFirst: SessionEntry[] = [];
  let firstKept: string | undefined;
  for (let id = session.leafId; id !== null;) {
    const entry = session.entry(id);
    // An entry that cannot be read does not say what was before it; the whole branch is read instead.
    if (!entry) return asSeen(session.branch());
    newestFirst.push(entry);
    if (entry.type === 'compaction') firstKept ??= entry.firstKeptEntryId;
    if (entry.id === firstKept) break;
    id = entry.parentId;
  }
  return asSeen(newestFirst.reverse());
}

/** Without the outputs that were taken out. */
function asSeen(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const pruned = new Map(entries.flatMap(prunedIn).map(({ entryId, tokens }) => [entryId, tokens]));
  if (pruned.size === 0) return entries;
  return entries.map((entry): SessionEntry => {
    const tokens = pruned.get(entry.id);
    if (tokens === undefined || entry.type !== 'message' || entry.message.role !== 'toolResult') return entry;
    return { ...entry, message: { ...entry.message, content: [{ type: 'text', text: prunedNotice(tokens) }] } };
  });
}
