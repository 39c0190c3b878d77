/**
 * Fitting a pattern onto a node, in the five strictnesses.
 *
 * Goals and candidates are walked side by side. A metavariable takes one candidate; an ellipsis takes as few as it
 * can until the goal after it fits. What each strictness may pass over on either side is decided in one place.
 */
import type { Strictness } from './contract.ts';
import type { Effort } from './effort.ts';
import type { MetaVariable } from './meta-variable.ts';
import { ERROR_KIND, type Goal, type Pattern } from './pattern.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** What a match binds; the end-finder uses the same walk with other effects. */
interface Bindings {
  leaf(node: SyntaxNode): boolean;
  variable(variable: MetaVariable, node: SyntaxNode): boolean;
  ellipsis(name: string | undefined, nodes: readonly SyntaxNode[], skippedTokens: number): boolean;
  copy(): Bindings;
}

type Step = 'fits' | 'no' | 'pass-goal' | 'pass-candidate' | 'pass-both';

/** The nodes that metavariables stand for. */
export class Environment implements Bindings {
  readonly effort: Effort;
  readonly single: Map<string, SyntaxNode>;
  readonly multiple: Map<string, readonly SyntaxNode[]>;

  constructor(
    effort: Effort,
    single = new Map<string, SyntaxNode>(),
    multiple = new Map<string, readonly SyntaxNode[]>(),
  ) {
    this.effort = effort;
    this.single = single;
    this.multiple = multiple;
  }

  copy(): Environment {
    return new Environment(this.effort, new Map(this.single), new Map(this.multiple));
  }

  /** Takes over what a successful trial has bound. */
  adopt(trial: Environment): void {
    for (const [name, node] of trial.single) this.single.set(name, node);
    for (const [name, nodes] of trial.multiple) this.multiple.set(name, nodes);
  }

  leaf(): boolean {
    return true;
  }

  variable(variable: MetaVariable, node: SyntaxNode): boolean {
    if (variable.type === 'ellipsis') {
      return variable.name === undefined || this.ellipsis(variable.name, [node], 0);
    }
    if (variable.namedOnly && !node.named) return false;
    if (variable.type === 'dropped') return true;
    const bound = this.single.get(variable.name);
    if (bound !== undefined && !sameCode(bound, node)) return false;
    this.single.set(variable.name, node);
    return true;
  }

  ellipsis(name: string | undefined, nodes: readonly SyntaxNode[], skippedTokens: number): boolean {
    if (name === undefined) return true;
    const captured = nodes.slice(0, Math.max(0, nodes.length - skippedTokens));
    const bound = this.multiple.get(name);
    if (bound !== undefined && !sameList(bound, captured)) return false;
    this.multiple.set(name, captured);
    return true;
  }
}

/** Finds where the last thing that the pattern names ends, which leaves out trailing punctuation. */
class LastEnd implements Bindings {
  end: number;

  constructor(end = 0) {
    this.end = end;
  }

  leaf(node: SyntaxNode): boolean {
    this.end = node.end;
    return true;
  }

  variable(_variable: MetaVariable, node: SyntaxNode): boolean {
    return this.leaf(node);
  }

  ellipsis(_name: string | undefined, nodes: readonly SyntaxNode[]): boolean {
    const last = nodes.at(-1);
    return last !== undefined && this.leaf(last);
  }

  copy(): LastEnd {
    return new LastEnd(this.end);
  }
}

/** Fits a pattern onto a node; binds in `environment` only when it fits. */
export function matchPattern(pattern: Pattern, node: SyntaxNode, environment: Environment): boolean {
  if (pattern.rootKind !== undefined && node.kindId !== pattern.rootKind) return false;
  const trial = environment.copy();
  if (matchRoot(pattern, node, trial) !== 'fits') return false;
  environment.adopt(trial);
  return true;
}

/** The end of what a rewrite replaces, or undefined when the whole node goes. */
export function matchedEnd(pattern: Pattern, node: SyntaxNode): number | undefined {
  const end = new LastEnd();
  return matchRoot(pattern, node, end) === 'fits' ? end.end : undefined;
}

function matchRoot(pattern: Pattern, node: SyntaxNode, bindings: Bindings): Step {
  const { goal, strictness } = pattern;
  // A pattern that is one metavariable stands for the node itself, even for a comment that `smart` passes over.
  if (goal.type === 'variable' && strictness === 'smart') {
    return bindings.variable(goal.variable, node) ? 'fits' : 'no';
  }
  return matchNode(goal, node, bindings, strictness);
}

function matchNode(goal: Goal, node: SyntaxNode, bindings: Bindings, strictness: Strictness): Step {
  switch (goal.type) {
    case 'leaf': {
      const step = matchLeaf(goal, node, strictness);
      return step === 'fits' && !bindings.leaf(node) ? 'no' : step;
    }
    case 'variable':
      if (passesComments(strictness) && node.extra) return 'pass-candidate';
      return bindings.variable(goal.variable, node) ? 'fits' : 'no';
    case 'inner':
      if (!sameKind(goal.kindId, node.kindId)) return 'no';
      return matchChildren(goal.children, node.children, bindings, strictness) ? 'fits' : 'no';
  }
}

function matchLeaf(goal: Goal & { type: 'leaf' }, node: SyntaxNode, strictness: Strictness): Step {
  const kindFits = sameKind(goal.kindId, node.kindId);
  // Tokens are compared by kind alone: some grammars give them a span that is not their text.
  if (kindFits && (!goal.named || goal.text === node.text)) return 'fits';
  if (passesComments(strictness) && node.extra) return 'pass-candidate';
  if (strictness === 'signature' && kindFits) return 'fits';
  const passGoal = strictness !== 'cst' && strictness !== 'smart' && !goal.named;
  const passCandidate = strictness !== 'cst' && !node.named;
  if (passGoal) return passCandidate ? 'pass-both' : 'pass-goal';
  return passCandidate ? 'pass-candidate' : 'no';
}

function matchChildren(
  goals: readonly Goal[],
  candidates: readonly SyntaxNode[],
  bindings: Bindings,
  strictness: Strictness,
): boolean {
  let g = 0;
  let c = 0;
  if (candidates.length === 0) return false;
  for (;;) {
    const goal = goals[g];
    if (goal === undefined) return true;
    if (isEllipsis(goal)) {
      const { name } = goal.variable;
      g += 1;
      let skippedTokens = 0;
      while (goals[g] !== undefined && isToken(goals[g])) {
        g += 1;
        skippedTokens += 1;
      }
      const after = goals[g];
      if (after === undefined) return bindings.ellipsis(name, candidates.slice(c), skippedTokens);
      if (isEllipsis(after)) {
        const captured = candidates.slice(c, c + 1);
        c += 1;
        if (c >= candidates.length || !bindings.ellipsis(name, captured, skippedTokens)) return false;
        continue;
      }
      const from = c;
      // The probe works on a copy: what it binds before it fails must not stand in the way of the real match.
      while (matchNode(after, candidates[c] as SyntaxNode, bindings.copy(), strictness) !== 'fits') {
        c += 1;
        if (c >= candidates.length) return false;
      }
      if (!bindings.ellipsis(name, candidates.slice(from, c), skippedTokens)) return false;
    }
    for (let fitted = false; !fitted && g < goals.length;) {
      const candidate = candidates[c];
      if (candidate === undefined) {
        while (g < goals.length && isOptional(goals[g] as Goal, strictness)) g += 1;
        if (g < goals.length) return false;
        break;
      }
      switch (matchNode(goals[g] as Goal, candidate, bindings, strictness)) {
        case 'fits':
          fitted = true;
          break;
        case 'no':
          return false;
        case 'pass-goal':
          g += 1;
          break;
        case 'pass-candidate':
          c += 1;
          break;
        case 'pass-both':
          g += 1;
          c += 1;
          break;
      }
    }
    if (g < goals.length) {
      g += 1;
      c += 1;
    }
    if (g >= goals.length) return candidates.slice(c).every((node) => mayTrail(node, strictness));
    if (c >= candidates.length) return false;
  }
}

function isEllipsis(goal: Goal): goal is Goal & { type: 'variable'; variable: { type: 'ellipsis' } } {
  return goal.type === 'variable' && goal.variable.type === 'ellipsis';
}

function isToken(goal: Goal | undefined): boolean {
  return goal?.type === 'leaf' && !goal.named;
}

/** May a goal go without a candidate once there are none left? */
function isOptional(goal: Goal, strictness: Strictness): boolean {
  if (strictness === 'cst') return false;
  if (isEllipsis(goal)) return true;
  if (strictness === 'smart' || goal.type === 'inner') return false;
  if (goal.type === 'leaf') return !goal.named;
  return goal.variable.type !== 'ellipsis' && !goal.variable.namedOnly;
}

/** May a candidate be left over once all goals fit? */
function mayTrail(node: SyntaxNode, strictness: Strictness): boolean {
  switch (strictness) {
    case 'cst':
      return false;
    case 'smart':
      return true;
    case 'ast':
      return !node.named;
    case 'relaxed':
    case 'signature':
      return !node.named || node.extra;
  }
}

function passesComments(strictness: Strictness): boolean {
  return strictness !== 'cst' && strictness !== 'ast';
}

function sameKind(goal: number, candidate: number): boolean {
  return goal === candidate || goal === ERROR_KIND;
}

/** Is it the same code? Leaves compare by text, so that `x` as a pattern and `x` as an expression agree. */
function sameCode(left: SyntaxNode, right: SyntaxNode): boolean {
  if (left.id === right.id) return true;
  if (left.namedLeaf || right.namedLeaf) return left.text === right.text;
  if (left.kindId !== right.kindId || left.children.length !== right.children.length) return false;
  return left.children.every((child, at) => sameCode(child, right.children[at] as SyntaxNode));
}

function sameList(left: readonly SyntaxNode[], right: readonly SyntaxNode[]): boolean {
  const named = right.filter((node) => node.named);
  const bound = left.filter((node) => node.named);
  return bound.length === named.length && bound.every((node, at) => sameCode(node, named[at] as SyntaxNode));
}
