import type { LineFact } from './line-index.ts';

/** One entry's place in the tree; its content is elsewhere. */
export interface TreeNode extends LineFact {
  readonly order: number;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The shape of a session: who follows whom. */
export class EntryTree {
  readonly #nodes = new Map<string, Writable<TreeNode>>();
  #children: Map<string | null, TreeNode[]> | undefined;

  get size(): number {
    return this.#nodes.size;
  }

  get(id: string): TreeNode | undefined {
    return this.#nodes.get(id);
  }

  /** In the order in which they were appended. */
  nodes(): Iterable<TreeNode> {
    return this.#nodes.values();
  }

  add(fact: LineFact): TreeNode {
    const { offset, length, type, id, parentId } = fact;
    // Written out: a spread, or an assign later on, gives each node a hidden class of its own, which is bigger than the node.
    const node = { offset, length, type, id, parentId, order: this.#nodes.size };
    this.#nodes.set(id, node);
    const siblings = this.#children?.get(fact.parentId);
    if (siblings) siblings.push(node);
    else this.#children?.set(fact.parentId, [node]);
    return node;
  }

  /** Notes where an entry stands once it is written. */
  place(id: string, { offset, length }: { readonly offset: number; readonly length: number }): void {
    const node = this.#nodes.get(id);
    if (!node) return;
    node.offset = offset;
    node.length = length;
  }

  /** From the root to the entry. */
  path(id: string): TreeNode[] {
    const path: TreeNode[] = [];
    // Each step goes to an earlier entry or ends, so that a file whose parents form a circle cannot hold us.
    let order = Number.POSITIVE_INFINITY;
    for (
      let node = this.#nodes.get(id);
      node && node.order < order;
      node = node.parentId === null ? undefined : this.#nodes.get(node.parentId)
    ) {
      order = node.order;
      path.push(node);
    }
    return path.reverse();
  }

  /** Those that follow an entry directly, oldest first. */
  children(id: string | null): readonly TreeNode[] {
    if (!this.#children) {
      this.#children = new Map();
      for (const node of this.#nodes.values()) {
        const siblings = this.#children.get(node.parentId);
        if (siblings) siblings.push(node);
        else this.#children.set(node.parentId, [node]);
      }
    }
    return this.#children.get(id) ?? [];
  }
}
