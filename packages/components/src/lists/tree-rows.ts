/** A tree as rows. Only branches indent: what has one successor goes on in the same column, however long it gets. */

/** One thing in a tree. */
export interface TreeNode<T> {
  readonly id: string;
  readonly value: T;
  readonly label: string;
  /** At the right end of the row. */
  readonly hint?: string;
  /** Before the label, accented: a name that the user gave. */
  readonly tag?: string;
  readonly children: readonly TreeNode<T>[];
}

/** The columns before a row, from the right to the left: whether a branch goes on below. */
interface Level {
  readonly up: Level | undefined;
  readonly goesOn: boolean;
}

/** A row of a tree. */
export interface TreeRow<T> {
  readonly node: TreeNode<T>;
  readonly parent: TreeRow<T> | undefined;
  readonly level: Level | undefined;
  /** How it is joined to what it branches off; nothing where it only follows. */
  readonly joint: 'middle' | 'last' | undefined;
  /** How many shown nodes are below it; only counted while it is folded. */
  readonly hidden: number;
  readonly hasChildren: boolean;
  /** Whether several branches begin below it. */
  readonly isFork: boolean;
}

/** Which nodes are shown, and which of them are folded. */
export interface TreeView<T> {
  isShown(node: TreeNode<T>): boolean;
  readonly folded: ReadonlySet<string>;
}

/** The rows of a tree; nodes that are not shown leave their children to the next shown node above. */
export function treeRows<T>(roots: readonly TreeNode<T>[], view: TreeView<T>): TreeRow<T>[] {
  const rows: TreeRow<T>[] = [];
  type Open = {
    node: TreeNode<T>;
    parent: TreeRow<T> | undefined;
    level: Level | undefined;
    joint: TreeRow<T>['joint'];
  };
  const open: Open[] = [];
  const put = (nodes: readonly TreeNode<T>[], parent: TreeRow<T> | undefined, level: Level | undefined) => {
    const isBranch = nodes.length > 1;
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      const isLast = at === nodes.length - 1;
      const node = nodes[at] as TreeNode<T>;
      open.push({ node, parent, level, joint: isBranch ? (isLast ? 'last' : 'middle') : undefined });
    }
  };
  put(shownBelow(roots, view), undefined, undefined);
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, parent, level, joint } = next;
    const children = shownBelow(node.children, view);
    const isFolded = view.folded.has(node.id) && children.length > 0;
    const hidden = isFolded ? countBelow(children, view) : 0;
    const row: TreeRow<T> = {
      node,
      parent,
      level,
      joint,
      hidden,
      hasChildren: children.length > 0,
      isFork: children.length > 1,
    };
    rows.push(row);
    const inner = joint === undefined ? level : { up: level, goesOn: joint === 'middle' };
    if (!isFolded) put(children, row, inner);
  }
  return rows;
}

/** The shown nodes that are nearest below. A loop, because conversations are long chains. */
function shownBelow<T>(nodes: readonly TreeNode<T>[], view: TreeView<T>): TreeNode<T>[] {
  const shown: TreeNode<T>[] = [];
  const open = [...nodes].reverse();
  for (let node = open.pop(); node; node = open.pop()) {
    if (view.isShown(node)) shown.push(node);
    else for (let at = node.children.length - 1; at >= 0; at -= 1) open.push(node.children[at] as TreeNode<T>);
  }
  return shown;
}

function countBelow<T>(nodes: readonly TreeNode<T>[], view: TreeView<T>): number {
  let count = 0;
  const open = [...nodes];
  for (let node = open.pop(); node; node = open.pop()) {
    if (view.isShown(node)) count += 1;
    for (const child of node.children) open.push(child);
  }
  return count;
}

/** The lines before a row, in at most this many columns: what is farthest to the left is left out. */
export function treeLines<T>({ level, joint }: TreeRow<T>, width: number): string {
  let lines = joint === undefined ? '' : joint === 'last' ? '└─ ' : '├─ ';
  for (let at = level; at; at = at.up) {
    if (lines.length + 3 > width) return `…${lines.slice(1)}`.slice(0, Math.max(0, width));
    lines = (at.goesOn ? '│  ' : '   ') + lines;
  }
  return lines.slice(0, Math.max(0, width));
}
