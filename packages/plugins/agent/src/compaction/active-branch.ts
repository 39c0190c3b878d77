import type { Session, SessionEntry } from '@tenon/sessions/api';

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
    if (!entry) return session.branch();
    newestFirst.push(entry);
    if (entry.type === 'compaction') firstKept ??= entry.firstKeptEntryId;
    if (entry.id === firstKept) break;
    id = entry.parentId;
  }
  return newestFirst.reverse();
}
