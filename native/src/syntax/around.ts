/**
 * The closest node around each one that fits a rule, for all nodes of a text at once. What is inside of a node is inside of all that are around
 * it, so a rule that looks up or down as far as the text goes may look at all of it for each of its nodes.
 */
import type { Effort } from './effort.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** What a node means to a rule that comes across it: it fits, the rule looks no further, or it goes on. */
export type Judgement = 'fits' | 'ends' | 'goes on';

/** For each node the one that a rule finds from there, if any. */
export type Around = ReadonlyMap<SyntaxNode, SyntaxNode>;

/** The closest node outside of each that fits. */
export function outside(root: SyntaxNode, judge: (node: SyntaxNode) => Judgement, effort: Effort): Around {
  const around = new Map<SyntaxNode, SyntaxNode>();
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    effort.step();
    if (node.children.length === 0) continue;
    const judgement = judge(node);
    const below = judgement === 'fits' ? node : judgement === 'ends' ? undefined : around.get(node);
    for (const child of node.children) {
      if (below) around.set(child, below);
      waiting.push(child);
    }
  }
  return around;
}

/** The first node inside of each that fits. */
export function inside(root: SyntaxNode, judge: (node: SyntaxNode) => Judgement, effort: Effort): Around {
  const around = new Map<SyntaxNode, SyntaxNode>();
  const path = [{ node: root, next: 0, countsAbove: false }];
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    const child = last.node.children[last.next];
    if (child !== undefined) {
      last.next += 1;
      effort.step();
      const judgement = judge(child);
      if (judgement === 'fits' && !around.has(last.node)) around.set(last.node, child);
      path.push({ node: child, next: 0, countsAbove: judgement === 'goes on' });
      continue;
    }
    path.pop();
    const found = around.get(last.node);
    const above = path.at(-1)?.node;
    if (last.countsAbove && found && above && !around.has(above)) around.set(above, found);
  }
  return around;
}
