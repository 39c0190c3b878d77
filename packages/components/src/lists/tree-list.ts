/** A tree to choose from: branches with lines, folding, a filter. */
import type { Component } from '@tenon/screen';
import { type FuzzyQuery, fuzzyQuery, fuzzyScore, markHits } from './fuzzy.ts';
import { listAction } from './list-actions.ts';
import { keyName } from './list-keys.ts';
import { ListWindow } from './list-window.ts';
import { bothEnds, emptyText, fit, type ListLook, padded, plainRow, spokenEntry } from './look.ts';
import { QueryLine } from './query-line.ts';
import { treeLines, type TreeNode, type TreeRow, treeRows } from './tree-rows.ts';

export type { TreeNode } from './tree-rows.ts';

/** How a tree is made. */
export interface TreeListOptions<T> {
  readonly look: ListLook;
  readonly roots: readonly TreeNode<T>[];
  /** Where the user is: marked, and selected at first. */
  readonly current?: string | null;
  readonly title?: string;
  readonly empty?: string;
  /** How many rows are shown at most; 15 unless given. */
  readonly maxRows?: number;
  /** Which nodes are shown at all, beside what is typed. */
  isShown?(node: TreeNode<T>): boolean;
  /** How a label looks; plain unless given. Gets text that is safe to show. */
  color?(node: TreeNode<T>, label: string): string;
  footer?(): string;
  onChoose(node: TreeNode<T>): void;
  onCancel?(): void;
  /** Sees keys that type nothing before the tree does, by name and as they came; true keeps them from it. */
  onKey?(name: string, node: TreeNode<T> | undefined, data: string): boolean;
}

/** A tree with a filter. Left folds or goes up, right unfolds or goes down. */
export class TreeList<T> implements Component {
  readonly #options: TreeListOptions<T>;
  readonly #window = new ListWindow();
  readonly #query = new QueryLine();
  readonly #folded = new Set<string>();
  /** What the filter searches, made once for each node. */
  readonly #small = new WeakMap<TreeNode<T>, string>();
  #words: FuzzyQuery = [];
  #roots: readonly TreeNode<T>[];
  #rows: readonly TreeRow<T>[] = [];
  /** The nodes from the root to where the user is. */
  #path: ReadonlySet<string> = new Set();
  #here: string | undefined;
  #title: string | undefined;

  constructor(options: TreeListOptions<T>) {
    this.#options = options;
    this.#title = options.title;
    this.#roots = options.roots;
    this.#path = pathTo(options.roots, options.current ?? undefined);
    this.refresh();
    this.#selectNearest(this.#path);
  }

  get selected(): TreeNode<T> | undefined {
    return this.#rows[this.#window.selected]?.node;
  }

  set title(title: string | undefined) {
    this.#title = title;
  }

  /** Shows other nodes; the selection stays where it is if that is possible. */
  setRoots(roots: readonly TreeNode<T>[], current: string | null): void {
    this.#roots = roots;
    this.#path = pathTo(roots, current ?? undefined);
    this.refresh();
  }

  /** Looks again which nodes are shown; what is selected stays so, or what is nearest above it. */
  refresh(): void {
    const before = this.#rows[this.#window.selected];
    this.#rows = treeRows(this.#roots, { isShown: (node) => this.#isShown(node), folded: this.#folded });
    const above = new Set<string>();
    for (let row = before; row; row = row.parent) above.add(row.node.id);
    this.#selectNearest(above);
    // What is shown may leave out the very place; then it is behind the last one before it.
    this.#here = this.#rows.findLast(({ node }) => this.#path.has(node.id))?.node.id;
  }

  /** Selects the last row of a path, which is the one farthest from the root. */
  #selectNearest(path: ReadonlySet<string>): void {
    const at = this.#rows.findLastIndex(({ node }) => path.has(node.id));
    this.#window.select(Math.max(0, at), this.#rows.length);
  }

  #isShown(node: TreeNode<T>): boolean {
    if (this.#options.isShown && !this.#options.isShown(node)) return false;
    if (this.#words.length === 0) return true;
    return fuzzyScore(this.#words, this.#smallOf(node)) !== undefined;
  }

  #smallOf(node: TreeNode<T>): string {
    let small = this.#small.get(node);
    if (small === undefined) {
      small = `${node.tag ?? ''} ${node.label}`.toLowerCase();
      this.#small.set(node, small);
    }
    return small;
  }

  handleInput(data: string): void {
    const name = keyName(data);
    if (name !== undefined && this.#options.onKey?.(name, this.selected, data)) return;
    const action = listAction(this.#options.look, data);
    if (action === 'list.close') return this.#options.onCancel?.();
    if (action === 'list.choose') {
      if (this.selected) this.#options.onChoose(this.selected);
      return;
    }
    if (action === 'list.fold' || action === 'list.unfold') return this.#fold(action === 'list.fold');
    if (this.#window.move(action, this.#rows.length, this.#height - 1)) return;
    if (!this.#query.handleInput(data, action)) return;
    this.#words = fuzzyQuery(this.#query.value);
    this.refresh();
  }

  #fold(isLeft: boolean): void {
    const row = this.#rows[this.#window.selected];
    if (!row) return;
    const { id } = row.node;
    const isFolded = this.#folded.has(id);
    if (isLeft && row.hasChildren && !isFolded && mayFold(row)) this.#folded.add(id);
    else if (isLeft) return this.#goTo(this.#forkAbove(row));
    else if (isFolded) this.#folded.delete(id);
    else return this.#window.select(this.#window.selected + 1, this.#rows.length);
    this.refresh();
  }

  #forkAbove(row: TreeRow<T>): TreeRow<T> | undefined {
    let above = row.parent;
    while (above && !mayFold(above)) above = above.parent;
    return above;
  }

  #goTo(row: TreeRow<T> | undefined): void {
    if (row) this.#window.select(this.#rows.indexOf(row), this.#rows.length);
  }

  get #height(): number {
    return Math.max(1, this.#options.maxRows ?? 15);
  }

  render(width: number): string[] {
    const { look, footer, empty } = this.#options;
    const { theme, text } = look;
    const columns = Math.max(1, width);
    const count = this.#rows.length;
    const counter = count === 0 ? '0' : `${this.#window.selected + 1}/${count}`;
    const head = this.#title === undefined ? '' : theme.bold(theme.fg('accent', plainRow(text, this.#title)));
    const rows = [
      bothEnds(text, head, theme.fg('dim', counter), columns),
      fit(text, theme.fg('accent', '> ') + this.#query.render(text, Math.max(1, columns - 2)), columns),
    ];
    if (count === 0)
      rows.push(fit(text, `  ${theme.fg('muted', plainRow(text, emptyText(this.#query.value, empty)))}`, columns));
    const height = Math.min(this.#height, count);
    const top = this.#window.top(this.#window.selected, count, height);
    for (let at = top; at < top + height; at += 1) {
      const row = this.#rows[at];
      if (row) rows.push(this.#row(row, at === this.#window.selected, columns));
    }
    const last = footer?.call(this.#options) ?? '';
    if (last !== '') rows.push(fit(text, theme.fg('dim', plainRow(text, last)), columns));
    return rows;
  }

  spoken(): string {
    const { look, empty } = this.#options;
    const row = this.#rows[this.#window.selected];
    if (!row) return plainRow(look.text, emptyText(this.#query.value, empty));
    const { node, hidden } = row;
    const here = node.id === this.#here ? 'you are here' : undefined;
    const parts = [node.tag, node.label, here, hidden > 0 ? `${hidden} more folded` : undefined, node.hint];
    return spokenEntry(look.text, parts, this.#window.selected, this.#rows.length);
  }

  #row(row: TreeRow<T>, isSelected: boolean, width: number): string {
    const { look, color } = this.#options;
    const { theme, text } = look;
    const { node } = row;
    const mark = (part: string) => theme.bold(theme.fg('accent', part));
    const label = markHits(plainRow(text, node.label), this.#words, mark);
    const tag = node.tag === undefined ? '' : `${theme.fg('warning', `[${plainRow(text, node.tag)}]`)} `;
    const onPath = this.#path.has(node.id) ? theme.fg('accent', '• ') : '  ';
    const left =
      (isSelected ? theme.fg('accent', '❯ ') : '  ') +
      theme.fg('dim', treeLines(row, Math.floor(width / 2))) +
      onPath +
      tag +
      (color?.call(this.#options, node, label) ?? label) +
      (row.hidden > 0 ? theme.fg('muted', ` ▸ ${row.hidden} more`) : '') +
      (node.id === this.#here && this.#words.length === 0 ? theme.fg('success', ' ← you are here') : '');
    const whole = bothEnds(text, left, theme.fg('dim', plainRow(text, node.hint ?? '')), width);
    return isSelected ? theme.bg('selectedBg', padded(text, whole, width)) : whole;
  }
}

/** Folding is worth it only where branches begin. */
function mayFold<T>({ joint, parent, isFork }: TreeRow<T>): boolean {
  return joint !== undefined || parent === undefined || isFork;
}

/** The ids from a root to a node. A loop, because conversations are long chains. */
function pathTo<T>(roots: readonly TreeNode<T>[], id: string | undefined): ReadonlySet<string> {
  if (id === undefined) return new Set();
  const parents = new Map<TreeNode<T>, TreeNode<T> | undefined>(roots.map((root) => [root, undefined]));
  const open = [...roots];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.id === id) {
      const path = new Set<string>();
      for (let at: TreeNode<T> | undefined = node; at; at = parents.get(at)) path.add(at.id);
      return path;
    }
    for (const child of node.children) {
      parents.set(child, node);
      open.push(child);
    }
  }
  return new Set();
}
