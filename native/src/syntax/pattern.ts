/**
 * Patterns: code with metavariables, parsed by the target's own grammar and kept as a small tree of goals.
 *
 * A goal is a metavariable, a leaf (compared by kind and, if named, by text) or an inner node (compared by kind and
 * children). Missing nodes that the parser made up are no goals.
 */
import type { Strictness } from './contract.ts';
import type { LanguageInfo, Misreading } from './language-table.ts';
import { type MetaVariable, metaVariable } from './meta-variable.ts';
import type { LoadedGrammar } from './parsing.ts';
import { type Reading, readings, type Replaced } from './readings.ts';
import { type SyntaxNode, wrapTree } from './syntax-node.ts';

/** The kind id that tree-sitter gives to what it could not parse. */
export const ERROR_KIND = 65_535;

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

/** What a reading may have besides clean code; the later ones are tried only when no reading passes the earlier. */
interface Tolerance {
  /** Errors around the whole code. */
  readonly outerErrors: boolean;
  /** Errors that are nothing but a variable, which may stand where no name can. */
  readonly variableErrors: boolean;
  /** Kinds that show that the grammar took the code for something else. */
  readonly misreadings: boolean;
}

const TOLERANCES: readonly Tolerance[] = [
  { outerErrors: false, variableErrors: false, misreadings: false },
  { outerErrors: true, variableErrors: true, misreadings: false },
  { outerErrors: true, variableErrors: true, misreadings: true },
];
const ALONE: Tolerance = { outerErrors: true, variableErrors: false, misreadings: false };

/**
 * Compiles a pattern or throws a `PatternError`. What is no code of its own may be something else in each context, as
 * `$A => $B` in an array and in a `match`: then there are several, and whatever fits one of them is meant.
 */
export function compilePattern(
  source: string,
  target: Target,
  selector: string | undefined,
  strictness: Strictness,
): Pattern[] {
  const code = source.trim();
  if (code === '') {
    throw new PatternError('the pattern is empty; write code with `$NAME` for the parts that vary');
  }
  const selected = selector === undefined ? undefined : { name: selector, id: kindId(selector, target) };
  const ways = readings(code, target.info);
  let refusal: PatternError | undefined;
  for (const tolerance of TOLERANCES) {
    const goals = new Map<string, Goal>();
    let first: Reading | undefined;
    for (const reading of ways) {
      if (tolerance.misreadings && !reading.isBare) continue;
      if (first !== undefined && (first.isBare || !isSimilar(first, reading))) continue;
      const outcome = readPattern(reading, code, target, selected, tolerance);
      if (outcome instanceof PatternError) {
        refusal ??= outcome;
        continue;
      }
      first ??= reading;
      goals.set(JSON.stringify(outcome), outcome);
    }
    if (first === undefined) continue;
    const context = first;
    const bare = context.isBare ? undefined : ways.find((reading) => reading.isBare && isSimilar(context, reading));
    const alone = bare && readPattern(bare, code, target, selected, ALONE);
    return besideAlone([...goals.values()], alone).map((goal) => ({ goal, rootKind: selected?.id, strictness }));
  }
  throw refusal ?? new PatternError(`\`${code}\` cannot be parsed`);
}

/**
 * Adds what the code means by itself to what it means in contexts; where that is what the first context says, the others do not
 * count. `*$A` of Go is a pointer's content and not a type, but `$A.$B`, a type by itself, may be a field as well.
 */
function besideAlone(goals: readonly Goal[], alone: Goal | PatternError | undefined): readonly Goal[] {
  if (alone === undefined || alone instanceof PatternError) return goals;
  const text = JSON.stringify(alone);
  const place = goals.findIndex((goal) => JSON.stringify(goal) === text);
  if (place < 0) return [...goals, alone];
  return place === 0 ? goals.slice(0, 1) : goals;
}

/** Do two readings differ in their context only? */
function isSimilar(left: Reading, right: Reading): boolean {
  const size = ({ start, end, expando, lifted, quoted }: Reading): string =>
    JSON.stringify([end - start, expando, [...lifted, ...quoted].map(({ at }) => at - start)]);
  return size(left) === size(right);
}

function readPattern(
  reading: Reading,
  code: string,
  { info, grammar }: Target,
  selected: { readonly name: string; readonly id: number } | undefined,
  tolerance: Tolerance,
): Goal | PatternError {
  const tree = grammar.parseNow(reading.text);
  try {
    const root = wrapTree(tree, reading.text);
    const node = selected === undefined ? soleNode(root, reading) : findKind(root, selected.id);
    if (node === undefined) {
      if (selected !== undefined) return new PatternError(noSelected(code, selected.name));
      return new PatternError(`\`${code}\` is not one ${info.id} node; ${WIDER}`);
    }
    // How a parser goes on after an error is its own affair; a pattern must not depend on it.
    const invalid = new PatternError(`\`${code}\` is not valid ${info.id} on its own; ${WIDER}`);
    const isWholeCode = node.start === reading.start && node.end === reading.end;
    const checked = selected !== undefined || (tolerance.outerErrors && isWholeCode) ? node : root;
    if (isBroken(checked, info, reading, tolerance)) return invalid;
    const goal = wholeGoal(node, reading, code);
    if (goal === undefined) return invalid;
    if (goal.type !== 'variable' || goal.variable.type !== 'ellipsis') return goal;
    return new PatternError(
      selected === undefined
        ? `\`${code}\` alone stands for any list of nodes; put it inside a larger pattern`
        : noSelected(code, selected.name),
    );
  } finally {
    tree.delete();
  }
}

function isBroken(node: SyntaxNode, info: LanguageInfo, reading: Reading, tolerance: Tolerance): boolean {
  if (node.missing) return !reading.isBare;
  if (node.kindId === ERROR_KIND) {
    return !tolerance.variableErrors || metaVariable(node.text, reading.expando) === undefined;
  }
  if (!tolerance.misreadings && info.misreadings?.some((misreading) => isMisread(node, misreading)) === true)
    return true;
  return node.children.some((child) => isBroken(child, info, reading, tolerance));
}

function isMisread(node: SyntaxNode, { kind, child, text }: Misreading): boolean {
  return (
    kind === node.kind &&
    (child === undefined || node.children.some((candidate) => candidate.kind === child)) &&
    (text === undefined || text === node.text)
  );
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

/** The one node that is the code of a reading: from where it begins, down as long as a node has nothing beside one child. */
function soleNode(root: SyntaxNode, { start, end, isBare }: Reading): SyntaxNode | undefined {
  if (isBare && start === 0) {
    const outer = onlyChild(root);
    return outer && innermost(outer, onlyChild);
  }
  const own = (node: SyntaxNode): SyntaxNode | undefined =>
    onlyPresent(node.children.filter((child) => child.start >= start && child.start < end));
  let around = root;
  for (;;) {
    const inner = around.children.find((child) => child.start < start && child.end >= end);
    if (inner === undefined) break;
    around = inner;
  }
  const outer = own(around);
  // What the context closes too early is not the pattern as it was written.
  return outer === undefined || outer.start !== start || outer.end < end ? undefined : innermost(outer, own);
}

/**
 * The goal of a whole pattern. Words that are in none of its children would not be compared, so there the text counts. Where there are
 * nothing but variables, as in `<!DOCTYPE $A>`, any text will do; they bind nothing, for there is no node.
 */
function wholeGoal(node: SyntaxNode, reading: Reading, code: string): Goal | undefined {
  const loose = looseParts(node);
  if (loose.every((part) => metaVariable(part, reading.expando) !== undefined)) {
    return toGoal(node, reading, reading.lifted, true);
  }
  if (code.includes('$')) return undefined;
  return { type: 'leaf', text: node.text, named: node.named, kindId: node.kindId };
}

/** The parts of a node's text that are in none of its children, as the number of `10px`. */
function looseParts(node: SyntaxNode): string[] {
  if (node.children.length === 0) return [];
  let at = node.start;
  const parts = [...node.children, { start: node.end, end: node.end }].map(({ start, end }) => {
    const part = node.text.slice(at - node.start, start - node.start).trim();
    at = end;
    return part;
  });
  return parts.filter((part) => part !== '');
}

function hasLooseText(node: SyntaxNode): boolean {
  return looseParts(node).length > 0;
}

function innermost(node: SyntaxNode, step: (node: SyntaxNode) => SyntaxNode | undefined): SyntaxNode {
  const inner = hasLooseText(node) ? undefined : step(node);
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

function findKind(node: SyntaxNode, id: number): SyntaxNode | undefined {
  if (node.kindId === id) return node;
  for (const child of node.children) {
    const descendant = findKind(child, id);
    if (descendant !== undefined) return descendant;
  }
  return undefined;
}

function noSelected(code: string, selector: string): string {
  return `the pattern \`${code}\` has no \`${selector}\` node for the selector`;
}

/**
 * The goal of a node with the variables that were replaced in it. An ellipsis goes between the children where it was, or
 * after all of them at the end of the whole pattern; undefined when there is no such place.
 */
function toGoal(node: SyntaxNode, reading: Reading, lifted: readonly Replaced[], isWhole = false): Goal | undefined {
  const quote = reading.quoted.find(({ at, length }) => at === node.start && at + length === node.end);
  const variable = quote?.variable ?? metaVariable(writtenText(node, reading), reading.expando);
  if (variable !== undefined && lifted.length === 0) return { type: 'variable', variable };
  if (node.children.length === 0) {
    return lifted.length > 0 ? undefined : { type: 'leaf', text: node.text, named: node.named, kindId: node.kindId };
  }
  const children: Goal[] = [];
  let ellipses = 0;
  let waiting = [...lifted];
  for (const child of node.children) {
    while (waiting[0] !== undefined && waiting[0].at < child.start) {
      if (children.length === 0) return undefined;
      children.push({ type: 'variable', variable: waiting[0].variable });
      ellipses += 1;
      waiting = waiting.slice(1);
    }
    const inside = waiting.filter(({ at }) => at < child.end);
    waiting = waiting.slice(inside.length);
    if (child.missing) continue;
    // What the context adds is not in the pattern.
    if (child.start >= reading.after && child.end > child.start) continue;
    // An empty body that the parser made up where the ellipsis was says nothing about real ones.
    if (lifted.length > 0 && child.named && child.start === child.end) return undefined;
    const goal = toGoal(child, reading, inside);
    // Where more than tokens follows, the ellipsis would end too early: what it stands for is in a node that is not there.
    if (goal === undefined || (ellipses > 0 && (goal.type !== 'leaf' || goal.named))) return undefined;
    children.push(goal);
  }
  if (waiting.length > 0 && !isWhole) return undefined;
  children.push(...waiting.map((last): Goal => ({ type: 'variable', variable: last.variable })));
  return { type: 'inner', kindId: node.kindId, children };
}

/** The text of a node without the `;` of a context: a statement of a variable and that `;` is the variable. */
function writtenText(node: SyntaxNode, { end }: Reading): string {
  return node.end > end ? node.text.slice(0, Math.max(0, end - node.start)) : node.text;
}
