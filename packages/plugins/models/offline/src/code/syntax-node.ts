/** Syntax trees with the way up, and with places in JavaScript's own units. */
import type { Accelerators } from '@tenon/native';

type TreeNode = Extract<Awaited<ReturnType<Accelerators['syntax']['tree']>>, { ok: true }>['value'];

/** One node of a tree. */
export interface SyntaxNode {
  readonly kind: string;
  /** The name of its field in the parent. */
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** False for tokens without a name of their own, such as `(`. */
  readonly isNamed: boolean;
  readonly parent: SyntaxNode | undefined;
  readonly children: readonly SyntaxNode[];
}

/** A tree and what of the text was not understood. */
export interface SyntaxTree {
  readonly root: SyntaxNode;
  readonly errors: readonly SyntaxNode[];
}

/** Makes a tree of what the parser gave. */
export function linkTree(data: TreeNode, text: string): SyntaxTree {
  const at = unitsByByte(text);
  const errors: SyntaxNode[] = [];
  const link = (node: TreeNode, parent: SyntaxNode | undefined): SyntaxNode => {
    const [start, end] = [at(node.start), at(node.end)];
    const children: SyntaxNode[] = [];
    const linked: SyntaxNode = {
      kind: node.kind,
      field: node.field,
      start,
      end,
      get text() {
        return text.slice(start, end);
      },
      isNamed: node.anonymous !== true,
      parent,
      children,
    };
    if (node.error === true || node.missing === true) errors.push(linked);
    for (const child of node.children ?? []) children.push(link(child, linked));
    return linked;
  };
  const root = link(data, undefined);
  return { root, errors };
}

/** From bytes of UTF-8 to places in the string. */
function unitsByByte(text: string): (byte: number) => number {
  // Most sources have nothing but ASCII, and then both are the same.
  if (!/[^\u0000-\u007f]/.test(text)) return (byte) => byte;
  const units = new Uint32Array(Buffer.byteLength(text) + 1);
  let byte = 0;
  for (let unit = 0; unit < text.length;) {
    const point = text.codePointAt(unit) ?? 0;
    const bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    units.fill(unit, byte, byte + bytes);
    byte += bytes;
    unit += point > 0xffff ? 2 : 1;
  }
  units[byte] = text.length;
  return (offset) => units[offset] ?? text.length;
}

/** The child in a field. */
export function fieldOf(node: SyntaxNode | undefined, field: string): SyntaxNode | undefined {
  return node?.children.find((child) => child.field === field);
}

/** The nearest node around another that is of one of these kinds. */
export function around(node: SyntaxNode, kinds: ReadonlySet<string>): SyntaxNode | undefined {
  let at = node.parent;
  while (at && !kinds.has(at.kind)) at = at.parent;
  return at;
}

/** All nodes, parents before their children. */
export function* nodesOf(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

/** The smallest node that holds a stretch of text. */
export function nodeAt(root: SyntaxNode, start: number, end: number): SyntaxNode {
  let at = root;
  for (;;) {
    const inner = at.children.find((child) => child.start <= start && end <= child.end && child.end > child.start);
    if (!inner) return at;
    at = inner;
  }
}

/** The node that follows among its siblings, or stands before. */
export function sibling(node: SyntaxNode, step: 1 | -1): SyntaxNode | undefined {
  const all = node.parent?.children ?? [];
  return all[all.indexOf(node) + step];
}

/** True when a node stands inside of another, or is it. */
export function isWithin(node: SyntaxNode, outer: SyntaxNode | undefined): boolean {
  return outer !== undefined && outer.start <= node.start && node.end <= outer.end;
}
