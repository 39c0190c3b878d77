/** The tree of a session, as the page shows it. */
import type { ToolResultMessage } from '@tenon/models/api';
import type { Session, SessionEntry } from '@tenon/sessions/api';
import { type EntryView, viewOf } from './entry.ts';

/** An entry that is shown, with its place in the tree. */
export interface ShownEntry {
  readonly entry: SessionEntry;
  readonly view: EntryView;
  /** The nearest entry above that is shown. */
  readonly parent: string | null;
  /** How many branches were taken on the way to it. */
  readonly depth: number;
  readonly onBranch: boolean;
  readonly label: string | undefined;
}

/** The entries that are shown, each branch after what it starts from. */
export function shownTree(session: Session): ShownEntry[] {
  const onBranch = new Set(session.branch().map(({ id }) => id));
  const labels = new Map(session.labels());
  const joined = resultsWithCalls(session, onBranch);
  const views = new Map<string, { entry: SessionEntry; view: EntryView; parent: string | null }>();
  const nearest = new Map<string, string | null>();
  for (const entry of session.entries()) {
    const view = joined.entries.has(entry.id) ? undefined : viewOf(entry, joined.results);
    const above = entry.parentId === null ? null : (nearest.get(entry.parentId) ?? null);
    nearest.set(entry.id, view ? entry.id : above);
    if (view) views.set(entry.id, { entry, view, parent: above });
    // What is shown with another entry is labelled there.
    const label = labels.get(entry.id);
    if (!view && label !== undefined && above !== null && !labels.has(above)) labels.set(above, label);
  }
  const children = new Map<string | null, string[]>();
  for (const [id, { parent }] of views) children.set(parent, [...(children.get(parent) ?? []), id]);

  const shown: ShownEntry[] = [];
  // A list and not recursion: conversations are deeper than the stack.
  const waiting = (children.get(null) ?? []).map((id) => ({ id, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { id, depth } = next;
    const view = views.get(id);
    if (!view) continue;
    shown.push({ ...view, depth, onBranch: onBranch.has(id), label: labels.get(id) });
    const below = children.get(id) ?? [];
    const isFork = below.length > 1;
    waiting.push(...below.map((child) => ({ id: child, depth: isFork ? depth + 1 : depth })).reverse());
  }
  return shown;
}

/**
 * The results that belong to one call on every branch: nothing forks between the two. All others stand on their own, so that no
 * branch shows a result that it does not have.
 */
function resultsWithCalls(
  session: Session,
  onBranch: ReadonlySet<string>,
): { readonly results: ReadonlyMap<string, ToolResultMessage>; readonly entries: ReadonlySet<string> } {
  const results = new Map<string, ToolResultMessage>();
  const entries = new Set<string>();
  for (const entry of session.entries()) {
    if (entry.type !== 'message' || entry.message.role !== 'toolResult') continue;
    const { message } = entry;
    if (results.has(message.toolCallId) || !isOnlyAnswer(session, entry, message.toolCallId, onBranch)) continue;
    results.set(message.toolCallId, message);
    entries.add(entry.id);
  }
  return { results, entries };
}

/** Between a call and its result stand other results, and entries that only keep state. */
function isOnlyAnswer(session: Session, result: SessionEntry, call: string, onBranch: ReadonlySet<string>): boolean {
  let at = result.parentId === null ? undefined : session.entry(result.parentId);
  for (; at; at = at.parentId === null ? undefined : session.entry(at.parentId)) {
    if (session.children(at.id).length > 1 || onBranch.has(at.id) !== onBranch.has(result.id)) return false;
    if (at.type !== 'message') continue;
    const { message } = at;
    if (message.role === 'assistant')
      return message.content.some((block) => block.type === 'toolCall' && block.id === call);
    if (message.role !== 'toolResult') return false;
  }
  return false;
}
