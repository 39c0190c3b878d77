import type { Session, SessionEntry } from '@tenon/sessions/api';
import { activeBranch } from './active-branch.ts';

/** What the model sees of a session as entries, and the compaction that stands for the rest. */
export function activePart(session: Session): {
  readonly previous: SessionEntry | undefined;
  readonly entries: readonly SessionEntry[];
} {
  const branch = activeBranch(session);
  const previousAt = branch.findLastIndex(({ type }) => type === 'compaction');
  const previous = branch[previousAt];
  const since = branch.slice(previousAt + 1);
  const kept = previous?.type === 'compaction' ? keptBefore(branch, previousAt, previous.firstKeptEntryId) : [];
  return { previous, entries: [...kept, ...since] };
}

function keptBefore(
  branch: readonly SessionEntry[],
  compactedAt: number,
  firstKeptEntryId: string,
): readonly SessionEntry[] {
  const from = branch.findIndex(({ id }) => id === firstKeptEntryId);
  return from === -1 ? [] : branch.slice(from, compactedAt).filter(({ type }) => type !== 'compaction');
}
