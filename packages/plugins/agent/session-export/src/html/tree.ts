/** The tree of a session, as the page shows it. */
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
  const labels = session.labels();
  const views = new Map<string, { entry: SessionEntry; view: EntryView; parent: string | null }>();
  const nearest = new Map<string, string | null>();
  for (const entry of session.entries()) {
    const view = viewOf(entry);
    const above = entry.parentId === null ? null : (nearest.get(entry.parentId) ?? null);
    nearest.set(entry.id, view ? entry.id : above);
    if (view) views.set(entry.id, { entry, view, parent: above });
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
