/** The entries of a session as a tree that can be shown. */
import type { TreeNode } from '@tenon/components';
import type { Session } from '@tenon/sessions/api';
import { timeAgo } from '@tenon/wording';
import { type EntryKind, entryText, patiently } from './entry-texts.ts';

/** What the tree knows about an entry. */
export interface TreeEntry {
  readonly kind: EntryKind;
  readonly label: string | undefined;
}

/** Which entries are shown. */
export type TreeMode = 'usual' | 'without tools' | 'only yours' | 'labelled' | 'everything';

/** All modes, in the order in which a key goes through them. */
export const TREE_MODES: readonly TreeMode[] = ['usual', 'without tools', 'only yours', 'labelled', 'everything'];

/** Whether a mode shows an entry. */
export function isShownIn(mode: TreeMode, { kind, label }: TreeEntry): boolean {
  switch (mode) {
    case 'everything':
      return true;
    case 'labelled':
      return label !== undefined;
    case 'only yours':
      return kind === 'user' || label !== undefined;
    case 'without tools':
      return kind !== 'state' && kind !== 'tool';
    default:
      return kind !== 'state';
  }
}

interface OpenNode extends TreeNode<TreeEntry> {
  readonly children: OpenNode[];
}

const MARKS: Readonly<Partial<Record<EntryKind, string>>> = { user: '❯ ' };

/** The trees of a session. The branch that the user is on comes first; the others follow from old to new. */
export async function sessionTree(session: Session): Promise<readonly TreeNode<TreeEntry>[]> {
  const labels = session.labels();
  const active = new Set(session.path().map(({ id }) => id));
  const nodes = new Map<string, OpenNode>();
  const parents = new Map<string, string | null>();
  for await (const entry of patiently(session.entries())) {
    const { kind, text } = entryText(entry);
    const label = labels.get(entry.id);
    nodes.set(entry.id, {
      id: entry.id,
      value: { kind, label },
      label: (MARKS[kind] ?? '') + text,
      hint: timeAgo(entry.timestamp),
      ...(label !== undefined && { tag: label }),
      children: [],
    });
    parents.set(entry.id, entry.parentId);
  }
  const roots: OpenNode[] = [];
  for (const [id, node] of nodes) {
    const siblings = nodes.get(parents.get(id) ?? '')?.children ?? roots;
    if (active.has(id)) siblings.unshift(node);
    else siblings.push(node);
  }
  return roots;
}

/** Whether something was said that a move to this entry leaves behind. */
export function leavesSomething(session: Session, target: string): boolean {
  const kept = new Set(session.path(target).map(({ id }) => id));
  return session.path().some(({ id, type }) => type === 'message' && !kept.has(id));
}
