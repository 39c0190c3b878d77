/** Search and rewrite in one parsed text. */
import type { TreeCursor } from 'web-tree-sitter';
import type { Capture, Excerpt, SyntaxEdit, SyntaxMatch } from './contract.ts';
import { Effort } from './effort.ts';
import { Environment, matchedEnd } from './matching.ts';
import { ParserGaveUp } from './parsing.ts';
import { admits, comparesCode, type CompiledRule, matchRule, ruleKinds } from './rule.ts';
import { cutText } from './source-text.ts';
import { type SyntaxNode, wrapTree } from './syntax-node.ts';
import { fillTemplate, type Template } from './template.ts';
import type { ParsedText } from './wasm-engine.ts';

/** All matches in source order, at most `limit`. */
export function findMatches(
  parsed: ParsedText,
  rules: readonly CompiledRule[],
  path: string,
  limit: number,
  maxText: number,
): SyntaxMatch[] {
  const matches: SyntaxMatch[] = [];
  rules.forEach((rule, index) => {
    if (!admits(rule, parsed.source.text)) return;
    let count = 0;
    forEachMatch(parsed, rule, (node, environment) => {
      matches.push(describe(parsed, path, index, node, environment, maxText));
      count += 1;
      return count < limit;
    });
  });
  matches.sort(
    (left, right) =>
      left.range.byteStart - right.range.byteStart ||
      right.range.byteEnd - left.range.byteEnd ||
      left.rule - right.rule,
  );
  return matches.slice(0, limit);
}

/** The edits of all rules with their templates; of matches that overlap the outermost, earliest one counts. */
export function planEdits(
  parsed: ParsedText,
  rules: readonly CompiledRule[],
  templates: readonly Template[],
): { edits: SyntaxEdit[]; overlapping: number } {
  const { source } = parsed;
  const planned: { start: number; end: number; op: number; after: string }[] = [];
  rules.forEach((rule, op) => {
    const template = templates[op];
    if (template === undefined) return;
    forEachMatch(parsed, rule, (node, environment) => {
      const end = (rule.type === 'pattern' ? matchedEnd(rule.pattern, node) : undefined) ?? node.end;
      planned.push({ start: node.start, end, op, after: fillTemplate(template, environment, source.text, node.start) });
      return true;
    });
  });
  planned.sort((left, right) => left.start - right.start || right.end - left.end || left.op - right.op);
  const edits: SyntaxEdit[] = [];
  let overlapping = 0;
  let lastEnd = -1;
  for (const { start, end, op, after } of planned) {
    if (start < lastEnd) {
      overlapping += 1;
      continue;
    }
    const before = source.text.slice(start, end);
    lastEnd = Math.max(end, start === end ? start + 1 : start);
    if (before !== after) edits.push({ op, range: source.range(start, end), before, after });
  }
  return { edits, overlapping };
}

/** What a variable stands for is compared level by level, on the stack. The addon has the same limit. */
const MOST_COMPARED_LEVELS = 2_000;

function isDeeperThan({ tree }: ParsedText, levels: number): boolean {
  const cursor = tree.walk();
  const path: number[] = [];
  let isDeeper = false;
  walk(cursor, path, () => {
    isDeeper = path.length > levels;
    return !isDeeper;
  });
  cursor.delete();
  return isDeeper;
}

/**
 * Visits the matches of one rule in source order until `visit` says stop. Nodes are only taken out of WASM memory
 * on the way to a node of a kind that can match.
 */
function forEachMatch(
  parsed: ParsedText,
  rule: CompiledRule,
  visit: (node: SyntaxNode, environment: Environment) => boolean,
): void {
  if (comparesCode(rule) && isDeeperThan(parsed, MOST_COMPARED_LEVELS)) {
    throw new ParserGaveUp(
      `it has more than ${MOST_COMPARED_LEVELS} levels, too many to compare the code that a repeated variable stands for`,
    );
  }
  const kinds = ruleKinds(rule);
  const { source } = parsed;
  const effort = new Effort(source.byte(source.text.length));
  const tryNode = (node: SyntaxNode): boolean => {
    const environment = new Environment(effort);
    return !matchRule(rule, node, environment) || visit(node, environment);
  };
  const root = wrapTree(parsed.tree, source.text);
  if (kinds === undefined) {
    visitAll(root, tryNode);
    return;
  }
  // Relations need parents and siblings, which only a node reached from the root has.
  const path: number[] = [];
  const cursor = parsed.tree.walk();
  const step = (): boolean => !kinds.has(cursor.nodeTypeId) || tryNode(nodeAt(root, path));
  try {
    walk(cursor, path, step);
  } finally {
    cursor.delete();
  }
}

function nodeAt(root: SyntaxNode, path: readonly number[]): SyntaxNode {
  let node = root;
  for (const index of path) node = node.children[index] ?? node;
  return node;
}

/** Walks a tree in source order and keeps the child numbers that lead to the current node. */
function walk(cursor: TreeCursor, path: number[], step: () => boolean): void {
  for (;;) {
    if (!step()) return;
    if (cursor.gotoFirstChild()) {
      path.push(0);
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return;
      path.pop();
    }
    path.push((path.pop() ?? 0) + 1);
  }
}

/** Visits all nodes in source order; without recursion, because generated code may be nested very deeply. */
function visitAll(root: SyntaxNode, step: (node: SyntaxNode) => boolean): void {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined && step(node); node = waiting.pop()) {
    waiting.push(...node.children.toReversed());
  }
}

function describe(
  parsed: ParsedText,
  path: string,
  rule: number,
  node: SyntaxNode,
  environment: Environment,
  maxText: number,
): SyntaxMatch {
  const excerpt = (of: SyntaxNode): Excerpt => {
    const text = cutText(of.text, maxText);
    const range = parsed.source.range(of.start, of.end);
    return text.length < of.text.length ? { text, truncated: true, range } : { text, range };
  };
  const captures: Capture[] = [
    ...[...environment.single].map(([name, captured]) => ({ name, ...excerpt(captured) })),
    ...[...environment.multiple].map(([name, nodes]) => ({ name, nodes: nodes.map(excerpt) })),
  ];
  // Stable: of equal names the single capture stays first.
  captures.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  return { path, language: parsed.info.id, rule, kind: node.kind, ...excerpt(node), captures };
}
