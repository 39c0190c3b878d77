import type { Node, Tree } from 'web-tree-sitter';

/** A node whose facts are fetched from WASM memory once: each of them is a call across the boundary. */
export class SyntaxNode {
  readonly #node: Node;
  readonly #source: string;
  readonly parent: SyntaxNode | undefined;
  /** The index among the parent's children. */
  readonly index: number;
  readonly kindId: number;
  readonly start: number;
  readonly end: number;
  #children: readonly SyntaxNode[] | undefined;
  #named: boolean | undefined;
  #extra: boolean | undefined;
  #text: string | undefined;

  constructor(node: Node, source: string, parent: SyntaxNode | undefined, index: number) {
    this.#node = node;
    this.#source = source;
    this.parent = parent;
    this.index = index;
    this.kindId = node.typeId;
    this.start = node.startIndex;
    this.end = node.endIndex;
  }

  get id(): number {
    return this.#node.id;
  }

  get kind(): string {
    return this.#node.type;
  }

  get named(): boolean {
    return (this.#named ??= this.#node.isNamed);
  }

  /** Allowed anywhere by the grammar, such as a comment. */
  get extra(): boolean {
    return (this.#extra ??= this.#node.isExtra);
  }

  /** Made up by the parser to go on after an error. */
  get missing(): boolean {
    return this.#node.isMissing;
  }

  get text(): string {
    return (this.#text ??= this.#source.slice(this.start, this.end));
  }

  get children(): readonly SyntaxNode[] {
    return (this.#children ??= this.#node.children
      .filter((child) => child !== null)
      .map((child, index) => new SyntaxNode(child, this.#source, this, index)));
  }

  /** True when no child is named. */
  get namedLeaf(): boolean {
    return this.#node.namedChildCount === 0;
  }
}

/** The root of a tree. */
export function wrapTree(tree: Tree, source: string): SyntaxNode {
  return new SyntaxNode(tree.rootNode, source, undefined, 0);
}
