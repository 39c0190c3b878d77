/** Rules: conjunctions of patterns, kinds, text and position in the tree, compiled for one language. */
import { type Around, inside, type Judgement, outside } from './around.ts';
import type { Finder } from '../search/js-automaton.ts';
import { compileText } from '../search/js-regex.ts';
import type { RelatedRule, Rule } from './contract.ts';
import type { Effort } from './effort.ts';
import { Environment, matchPattern } from './matching.ts';
import { compilePattern, type Goal, kindId, type Pattern, PatternError, patternKinds, type Target } from './pattern.ts';
import type { SyntaxNode } from './syntax-node.ts';

type Relation = 'inside' | 'has' | 'follows' | 'precedes';
type Reach = 'neighbor' | 'end' | CompiledRule;

/** A rule compiled for one language. */
export type CompiledRule =
  | { readonly type: 'pattern'; readonly pattern: Pattern }
  | { readonly type: 'kind'; readonly kindId: number }
  | { readonly type: 'regex'; readonly regex: Finder }
  | { readonly type: 'all' | 'any'; readonly parts: readonly CompiledRule[] }
  | { readonly type: 'not'; readonly inner: CompiledRule }
  | RelatedParts;

/** A rule about nodes around the one that it is asked about. */
interface RelatedParts {
  readonly type: 'related';
  readonly relation: Relation;
  readonly inner: CompiledRule;
  readonly reach: Reach;
  /** The names of all variables in it. While none of them is bound, whether a node fits depends on nothing but the node. */
  readonly names: readonly string[];
}

const RELATIONS: readonly Relation[] = ['inside', 'has', 'follows', 'precedes'];

/** Compiles a rule or throws a `PatternError`. */
export function compileRule(rule: Rule, target: Target): CompiledRule {
  const parts: CompiledRule[] = [];
  if (rule.pattern !== undefined) {
    const patterns = compilePattern(rule.pattern, target, rule.selector, rule.strictness ?? 'smart');
    parts.push(anyOf(patterns.map((pattern) => ({ type: 'pattern', pattern }))));
  } else if (rule.selector !== undefined || rule.strictness !== undefined) {
    throw new PatternError('`selector` and `strictness` need a `pattern` beside them');
  }
  if (rule.kind !== undefined) parts.push({ type: 'kind', kindId: kindId(rule.kind, target) });
  if (rule.regex !== undefined) parts.push({ type: 'regex', regex: compileRegex(rule.regex) });
  if (rule.all !== undefined) parts.push({ type: 'all', parts: compileList(rule.all, target) });
  if (rule.any !== undefined) parts.push({ type: 'any', parts: compileList(rule.any, target) });
  if (rule.not !== undefined) parts.push({ type: 'not', inner: compileRule(rule.not, target) });
  for (const relation of RELATIONS) {
    const inner = rule[relation];
    if (inner !== undefined) parts.push(compileRelated(relation, inner, target));
  }
  const [first] = parts;
  if (first === undefined) {
    throw new PatternError(
      'the rule is empty; give it a `pattern`, `kind`, `regex`, `all`, `any`, `not` or a relation',
    );
  }
  return parts.length === 1 ? first : { type: 'all', parts };
}

function anyOf(parts: readonly CompiledRule[]): CompiledRule {
  const [first, second] = parts;
  return first !== undefined && second === undefined ? first : { type: 'any', parts };
}

function compileRelated(relation: Relation, rule: RelatedRule, target: Target): CompiledRule {
  const { stopBy = 'neighbor' } = rule;
  const reach = typeof stopBy === 'string' ? stopBy : compileRule(stopBy, target);
  const related: RelatedParts = { type: 'related', relation, inner: compileRule(rule, target), reach, names: [] };
  return { ...related, names: variablePlaces(related).map((place) => place.replace(/^\$+/, '')) };
}

function compileList(rules: readonly Rule[], target: Target): CompiledRule[] {
  if (rules.length === 0) throw new PatternError('`all` and `any` need at least one rule');
  return rules.map((rule) => compileRule(rule, target));
}

function compileRegex(source: string): Finder {
  try {
    return compileText(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PatternError(`the regular expression \`${source}\` does not compile: ${reason}`);
  }
}

/** Does the rule hold for the node? Binds in `environment` only when it does. */
export function matchRule(rule: CompiledRule, node: SyntaxNode, environment: Environment): boolean {
  switch (rule.type) {
    case 'pattern':
      return matchPattern(rule.pattern, node, environment);
    case 'kind':
      return node.kindId === rule.kindId;
    case 'regex':
      return rule.regex.test(node.text);
    case 'all': {
      const trial = environment.copy();
      if (!rule.parts.every((part) => matchRule(part, node, trial))) return false;
      environment.adopt(trial);
      return true;
    }
    case 'any':
      return rule.parts.some((part) => matchRule(part, node, environment));
    case 'not':
      return !matchRule(rule.inner, node, environment.copy());
    case 'related':
      return rule.reach === 'neighbor' || rule.relation === 'follows' || rule.relation === 'precedes'
        ? lookFrom(rule, node, environment)
        : lookAround(rule, node, environment);
  }
}

function lookFrom(rule: RelatedParts, node: SyntaxNode, environment: Environment): boolean {
  return rule.relation === 'has'
    ? hasRelated(rule.inner, rule.reach, node, environment)
    : matchRelated(rule, node, environment);
}

/** Looks up or down, however far. */
function lookAround(rule: RelatedParts, node: SyntaxNode, environment: Environment): boolean {
  const { effort } = environment;
  if (isBound(rule, environment)) return lookFrom(rule, node, environment);
  if (effort.looksOften(rule)) {
    const found = allAround(rule, node, effort).get(node);
    return found !== undefined && matchRule(rule.inner, found, environment);
  }
  const before = effort.steps;
  const found = lookFrom(rule, node, environment);
  effort.addLooks(rule, effort.steps - before);
  return found;
}

const known = new WeakMap<Effort, Map<RelatedParts, Around>>();

/** What a rule that looks up or down finds from each node of a text. */
function allAround(rule: RelatedParts, node: SyntaxNode, effort: Effort): Around {
  const earlier = known.get(effort)?.get(rule);
  if (earlier) return earlier;
  let root = node;
  while (root.parent) root = root.parent;
  const judge = (candidate: SyntaxNode): Judgement => {
    if (matchRule(rule.inner, candidate, new Environment(effort))) return 'fits';
    return stops(rule.reach, candidate, new Environment(effort)) ? 'ends' : 'goes on';
  };
  const around = rule.relation === 'has' ? inside(root, judge, effort) : outside(root, judge, effort);
  known.set(effort, (known.get(effort) ?? new Map<RelatedParts, Around>()).set(rule, around));
  return around;
}

/** Does whether a node fits depend on what was found before? */
function isBound({ names }: RelatedParts, { single, multiple }: Environment): boolean {
  return names.some((name) => single.has(name) || multiple.has(name));
}

function matchRelated(rule: RelatedParts, node: SyntaxNode, environment: Environment): boolean {
  const { relation, inner, reach } = rule;
  const row = relation === 'inside' || reach === 'neighbor' ? undefined : node.parent;
  if (row !== undefined && row.children.length >= LONG_ROW && !isBound(rule, environment)) {
    const closest = row.children[closestInRow(rule, row, environment.effort)[node.index] ?? -1];
    return closest !== undefined && matchRule(inner, closest, environment);
  }
  const step = (from: SyntaxNode): SyntaxNode | undefined => {
    if (relation === 'inside') return from.parent;
    return from.parent?.children[from.index + (relation === 'follows' ? -1 : 1)];
  };
  for (let candidate = step(node); candidate !== undefined; candidate = step(candidate)) {
    if (matchRule(inner, candidate, environment)) return true;
    if (stops(reach, candidate, environment)) return false;
  }
  return false;
}

/** Nodes with fewer children are looked through each time. */
const LONG_ROW = 32;

/** For each child of a node the closest one on the rule's side that fits; -1 for none. */
const rows = new WeakMap<SyntaxNode, Map<CompiledRule, Int32Array>>();

/** Looks at every child of a node once, so that none has to be looked at again for each of the others. */
function closestInRow(rule: RelatedParts, row: SyntaxNode, effort: Effort): Int32Array {
  const known = rows.get(row)?.get(rule);
  if (known !== undefined) return known;
  const { children } = row;
  const closest = new Int32Array(children.length);
  let last = -1;
  for (let count = 0; count < children.length; count += 1) {
    const at = rule.relation === 'follows' ? count : children.length - 1 - count;
    closest[at] = last;
    const child = children[at];
    if (child === undefined) continue;
    if (matchRule(rule.inner, child, new Environment(effort))) last = at;
    else if (stops(rule.reach, child, new Environment(effort))) last = -1;
  }
  rows.set(row, (rows.get(row) ?? new Map()).set(rule, closest));
  return closest;
}

function hasRelated(inner: CompiledRule, reach: Reach, node: SyntaxNode, environment: Environment): boolean {
  // Sources may be deeper than a stack.
  const waiting = node.children.toReversed();
  for (let child = waiting.pop(); child !== undefined; child = waiting.pop()) {
    if (matchRule(inner, child, environment)) return true;
    if (!stops(reach, child, environment)) waiting.push(...child.children.toReversed());
  }
  return false;
}

function stops(reach: Reach, node: SyntaxNode, environment: Environment): boolean {
  environment.effort.step();
  if (typeof reach === 'string') return reach === 'neighbor';
  return matchRule(reach, node, environment.copy());
}

/** The variables that a match of the rule binds, as they are written. */
export function ruleVariables(rule: CompiledRule): string[] {
  switch (rule.type) {
    case 'pattern':
      return goalVariables(rule.pattern.goal);
    case 'all':
    case 'any':
      return rule.parts.flatMap(ruleVariables);
    case 'related':
      return ruleVariables(rule.inner);
    default:
      return [];
  }
}

/** Does a variable stand in several places, so that what it stands for is compared? */
export function comparesCode(rule: CompiledRule): boolean {
  const names = variablePlaces(rule);
  return new Set(names).size < names.length;
}

function variablePlaces(rule: CompiledRule): string[] {
  if (rule.type === 'all' || rule.type === 'any') return rule.parts.flatMap(variablePlaces);
  if (rule.type === 'not') return variablePlaces(rule.inner);
  if (rule.type !== 'related') return ruleVariables(rule);
  return [rule.inner, rule.reach].flatMap((part) => (typeof part === 'string' ? [] : variablePlaces(part)));
}

function goalVariables(goal: Goal): string[] {
  if (goal.type === 'inner') return goal.children.flatMap(goalVariables);
  if (goal.type === 'leaf' || goal.variable.type === 'dropped' || goal.variable.name === undefined) return [];
  return [`${goal.variable.type === 'ellipsis' ? '$$$' : '$'}${goal.variable.name}`];
}

/** The kinds that a matching node can have; undefined when any can. */
export function ruleKinds(rule: CompiledRule): ReadonlySet<number> | undefined {
  switch (rule.type) {
    case 'pattern':
      return patternKinds(rule.pattern);
    case 'kind':
      return new Set([rule.kindId]);
    case 'all': {
      const sets = rule.parts.map(ruleKinds).filter((kinds) => kinds !== undefined);
      const [first, ...others] = sets;
      return first && new Set([...first].filter((kind) => others.every((kinds) => kinds.has(kind))));
    }
    case 'any': {
      const sets = rule.parts.map(ruleKinds);
      return sets.every((kinds) => kinds !== undefined) ? new Set(sets.flatMap((kinds) => [...kinds])) : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * False only when a text cannot match. A named leaf of a pattern matches a leaf of the same text only (but for
 * `signature`), so a text without it need not be parsed.
 */
export function admits(rule: CompiledRule, text: string): boolean {
  switch (rule.type) {
    case 'pattern':
      return rule.pattern.strictness === 'signature' || hasLeaves(rule.pattern.goal, text);
    case 'all':
      return rule.parts.every((part) => admits(part, text));
    case 'any':
      return rule.parts.some((part) => admits(part, text));
    case 'related':
      return admits(rule.inner, text);
    default:
      return true;
  }
}

function hasLeaves(goal: Goal, text: string): boolean {
  if (goal.type === 'leaf') return !goal.named || text.includes(goal.text);
  return goal.type === 'variable' || goal.children.every((child) => hasLeaves(child, text));
}
