/**
 * Patterns: code with metavariables, parsed by the target's own grammar and kept as a small tree of goals.
 *
 * A goal is a metavariable, a leaf (compared by kind and, if named, by text) or an inner node (compared by kind and
 * children). Missing nodes that the parser made up are no goals.
 */
import type { Strictness } from './contract.ts';
import type { LoadedGrammar } from './grammars.ts';
import type { LanguageInfo } from './language-table.ts';
import { type SyntaxNode, wrapTree } from './syntax-node.ts';

/** The kind id that tree-sitter gives to what it could not parse. */
export const ERROR_KIND = 65_535;

/** A metavariable of a pattern. */
export type MetaVariable =
  | { readonly type: 'capture'; readonly name: string; readonly namedOnly: boolean }
  | { readonly type: 'dropped'; readonly namedOnly: boolean }
  | { readonly type: 'ellipsis'; readonly name: string | undefined };

/** One node of a pattern. */
export type Goal =
  | { readonly type: 'variable'; readonly variable: MetaVariable }
  | { readonly type: 'leaf'; readonly text: string; readonly named: boolean; readonly kindId: number }
  | { readonly type: 'inner'; readonly kindId: number; readonly children: readonly Goal[] };

/** A pattern compiled for one language. */
export interface Pattern {
  readonly goal: Goal;
  /** With a selector: the only kind of node that can match. */
  readonly rootKind: number | undefined;
  readonly strictness: Strictness;
}

/** A pattern or rule that cannot be used; the message says what to change. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** A language with its grammar. */
export interface Target {
  readonly info: LanguageInfo;
  readonly grammar: LoadedGrammar;
}

const WIDER = 'write a whole expression or statement, or a wider pattern with a `selector`';

/** Compiles a pattern or throws a `PatternError`. */
export function compilePattern(
  source: string,
  target: Target,
  selector: string | undefined,
  strictness: Strictness,
): Pattern {
  const code = source.trim();
  if (code === '') {
    throw new PatternError('the pattern is empty; write code with `$NAME` for the parts that vary');
  }
  const { info } = target;
  const { patternPrefix = '', patternSuffix = '' } = info;
  const own = withExpando(code, info.expando);
  const parsed = patternPrefix + own + patternSuffix;
  const tree = target.grammar.parser.parse(parsed);
  if (tree === null) throw new PatternError(`\`${code}\` cannot be parsed`);
  try {
    const root = wrapTree(tree, parsed);
    const span = { start: patternPrefix.length, end: patternPrefix.length + own.length };
    const whole = parsed.length === own.length;
    const node =
      selector === undefined
        ? soleNode(root, whole ? undefined : span, code, info.id)
        : selected(root, selector, code, target);
    // How a parser goes on after an error is its own affair; a pattern must not depend on it.
    if (hasError(node)) throw new PatternError(`\`${code}\` is not valid ${info.id} on its own; ${WIDER}`);
    const goal = toGoal(node, info.expando);
    if (goal.type === 'variable' && goal.variable.type === 'ellipsis') {
      throw new PatternError(
        selector === undefined
          ? `\`${code}\` alone stands for any list of nodes; put it inside a larger pattern`
          : noSelected(code, selector),
      );
    }
    return { goal, rootKind: selector === undefined ? undefined : node.kindId, strictness };
  } finally {
    tree.delete();
  }
}

function hasError(node: SyntaxNode): boolean {
  return node.kindId === ERROR_KIND || node.children.some(hasError);
}

/** The id of a node kind or a `PatternError`. */
export function kindId(kind: string, target: Target): number {
  const id = target.grammar.language.idForNodeType(kind, true);
  if (id === null || id === 0) {
    throw new PatternError(
      `\`${kind}\` is not a node kind of ${target.info.id}; \`syntaxTree\` shows the kinds of a text`,
    );
  }
  return id;
}

/** The kinds that a matching node can have; undefined when any can. */
export function patternKinds(pattern: Pattern): ReadonlySet<number> | undefined {
  const kind = pattern.rootKind ?? (pattern.goal.type === 'variable' ? undefined : pattern.goal.kindId);
  return kind === undefined ? undefined : new Set([kind]);
}

/** Goes down from the root as long as a node has nothing beside its one child; `span` is the code between affixes. */
function soleNode(
  root: SyntaxNode,
  span: { readonly start: number; readonly end: number } | undefined,
  code: string,
  language: string,
): SyntaxNode {
  const step = (node: SyntaxNode): SyntaxNode | undefined =>
    span === undefined
      ? onlyChild(node)
      : onlyPresent(node.children.filter(({ start }) => start >= span.start && start < span.end));
  const outer = step(root);
  if (outer === undefined) throw new PatternError(`\`${code}\` is not one ${language} node; ${WIDER}`);
  return innermost(outer, step);
}

function innermost(node: SyntaxNode, step: (node: SyntaxNode) => SyntaxNode | undefined): SyntaxNode {
  const inner = step(node);
  return inner === undefined ? node : innermost(inner, step);
}

/** The one node among others that the parser made up. */
function onlyPresent(nodes: readonly SyntaxNode[]): SyntaxNode | undefined {
  const present = nodes.filter((node) => !node.missing && node.kind !== '');
  return present.length === 1 ? present[0] : undefined;
}

/** The first child of a node that has no other, or just an empty one that the parser made up. */
function onlyChild(node: SyntaxNode): SyntaxNode | undefined {
  const [first, second, third] = node.children;
  if (first === undefined || third !== undefined) return undefined;
  return second === undefined || second.missing || second.kind === '' ? first : undefined;
}

function selected(root: SyntaxNode, selector: string, code: string, target: Target): SyntaxNode {
  const id = kindId(selector, target);
  const find = (node: SyntaxNode): SyntaxNode | undefined => {
    if (node.kindId === id) return node;
    for (const child of node.children) {
      const descendant = find(child);
      if (descendant !== undefined) return descendant;
    }
    return undefined;
  };
  const node = find(root);
  if (node === undefined) throw new PatternError(noSelected(code, selector));
  return node;
}

function noSelected(code: string, selector: string): string {
  return `the pattern \`${code}\` has no \`${selector}\` node for the selector`;
}

function toGoal(node: SyntaxNode, expando: string): Goal {
  const variable = metaVariable(node.text, expando);
  if (variable !== undefined) return { type: 'variable', variable };
  if (node.children.length === 0) return { type: 'leaf', text: node.text, named: node.named, kindId: node.kindId };
  const children = node.children.filter((child) => !child.missing).map((child) => toGoal(child, expando));
  return { type: 'inner', kindId: node.kindId, children };
}

function metaVariable(text: string, sigil: string): MetaVariable | undefined {
  if (!text.startsWith(sigil)) return undefined;
  let count = 0;
  while (count < 3 && text.startsWith(sigil, count * sigil.length)) count += 1;
  const name = text.slice(count * sigil.length);
  if (count === 3 && name === '') return { type: 'ellipsis', name: undefined };
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) return undefined;
  const dropped = name.startsWith('_');
  if (count === 3) return { type: 'ellipsis', name: dropped ? undefined : name };
  const namedOnly = count === 1;
  return dropped ? { type: 'dropped', namedOnly } : { type: 'capture', name, namedOnly };
}

/** Replaces the `$` of every metavariable by the stand-in; any other `$` stays. */
function withExpando(code: string, expando: string): string {
  if (expando === '$') return code;
  return code.replace(/\$+(?=([A-Z_])?)/g, (run: string, next: string | undefined) =>
    next !== undefined || run.length === 3 ? expando.repeat(run.length) : run,
  );
}
