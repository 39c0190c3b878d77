/** What a workflow can do next: a pure function of where it stands. */
import { kindOf, milliseconds, type NodeDefinition } from './definition.ts';
import { holds, type Values, valueAt } from './expressions.ts';
import { stepOf, type StepState, type WorkflowState } from './state.ts';

/** What comes next. */
export type Next =
  /** The list of a node is known now. */
  | { readonly type: 'list'; readonly node: string; readonly items: readonly unknown[] }
  | { readonly type: 'skip'; readonly node: string; readonly reason: string }
  /** Steps that can begin, in order. `notBefore`: when the wait after a failure is over. */
  | {
      readonly type: 'step';
      readonly step: string;
      readonly node: NodeDefinition;
      readonly item?: unknown;
      readonly notBefore: number;
    };

/** Where a node stands, over all of its steps. */
export type NodeState = 'open' | 'busy' | 'done' | 'failed' | 'skipped';

/** Where a node stands. */
export function nodeState(state: WorkflowState, node: NodeDefinition): NodeState {
  if (state.skipped.has(node.id)) return 'skipped';
  const steps = stepsOf(state, node);
  if (steps === undefined) return 'open';
  if (steps.every((step) => step?.state === 'done')) return 'done';
  const isOver = steps.every((step) => step?.state === 'done' || step?.state === 'failed');
  if (isOver) return 'failed';
  return steps.some((step) => step !== undefined) ? 'busy' : 'open';
}

/** The steps of a node in order, undefined where one has not begun; undefined when its list is not known. */
export function stepsOf(state: WorkflowState, node: NodeDefinition): readonly (StepState | undefined)[] | undefined {
  if (node.each === undefined) return [state.steps.get(node.id)];
  const items = state.lists.get(node.id);
  return items?.map((_, index) => state.steps.get(stepOf(node.id, index)));
}

/** What the texts and conditions of a node can name. */
export function valuesFor(state: WorkflowState, node: NodeDefinition, item?: unknown): Values {
  const values: Record<string, unknown> = { inputs: state.inputs };
  for (const id of ancestors(state, node)) {
    const other = state.definition.nodes.find((candidate) => candidate.id === id);
    if (other) values[id] = outputOf(state, other);
  }
  if (item !== undefined) values['item'] = item;
  return values;
}

/** What a node gave: its output, or the list of its steps' outputs. */
function outputOf(state: WorkflowState, node: NodeDefinition): unknown {
  const steps = stepsOf(state, node) ?? [];
  if (node.each === undefined) return steps[0]?.output ?? { state: nodeState(state, node) };
  return { outputs: steps.map((step) => step?.output ?? null), state: nodeState(state, node) };
}

function ancestors(state: WorkflowState, { needs = [] }: NodeDefinition): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (ids: readonly string[]) => {
    for (const id of ids) {
      if (found.has(id)) continue;
      found.add(id);
      visit(state.definition.nodes.find((node) => node.id === id)?.needs ?? []);
    }
  };
  visit(needs);
  return found;
}

/** All that can be done now. */
export function nextOf(state: WorkflowState): readonly Next[] {
  if (state.state !== 'active') return [];
  return state.definition.nodes.flatMap((node) => nextOfNode(state, node));
}

function nextOfNode(state: WorkflowState, node: NodeDefinition): Next[] {
  const now = nodeState(state, node);
  if (now === 'done' || now === 'failed' || now === 'skipped') return [];
  const needs = (node.needs ?? []).flatMap((id) => state.definition.nodes.find((other) => other.id === id) ?? []);
  const blocked = needs.find((other) => isBroken(state, other));
  if (blocked) return [{ type: 'skip', node: node.id, reason: `"${blocked.id}" did not succeed` }];
  if (!needs.every((other) => isSettled(state, other))) return [];
  // Decided once: what has begun goes on.
  if (now === 'open' && node.when !== undefined && !holds(node.when, valuesFor(state, node)))
    return [{ type: 'skip', node: node.id, reason: `${node.when} does not hold` }];
  if (node.each !== undefined && !state.lists.has(node.id))
    return [{ type: 'list', node: node.id, items: itemsOf(state, node) }];
  const steps = stepsOf(state, node) ?? [];
  return steps.flatMap((step, index): Next[] => {
    if (step !== undefined && step.state !== 'open') return [];
    const name = node.each === undefined ? node.id : stepOf(node.id, index);
    const item = node.each === undefined ? undefined : state.lists.get(node.id)?.[index];
    return [{ type: 'step', step: name, node, ...(item !== undefined && { item }), notBefore: waitOf(node, step) }];
  });
}

/** A node that needs this one can go on. */
function isSettled(state: WorkflowState, node: NodeDefinition): boolean {
  const now = nodeState(state, node);
  return now === 'done' || now === 'skipped' || (now === 'failed' && node.mayFail === true);
}

/** Nothing that needs this node can run. A node that was skipped by its own condition holds up nobody. */
function isBroken(state: WorkflowState, node: NodeDefinition): boolean {
  const now = nodeState(state, node);
  if (now === 'failed') return node.mayFail !== true;
  if (now === 'skipped') return state.skipped.get(node.id)?.endsWith('did not succeed') ?? false;
  return now === 'done' && kindOf(node) === 'approve' && !isApproved(state, node);
}

function isApproved(state: WorkflowState, node: NodeDefinition): boolean {
  const steps = stepsOf(state, node) ?? [];
  return steps.every((step) => (step?.output as { readonly yes?: unknown } | undefined)?.yes === true);
}

function itemsOf(state: WorkflowState, { each, ...node }: NodeDefinition): readonly unknown[] {
  if (Array.isArray(each)) return each;
  const value = valueAt(valuesFor(state, node), String(each).replaceAll(/^\{\{\s*|\s*\}\}$/g, ''));
  if (Array.isArray(value)) return value;
  // The lines of a command.
  return typeof value === 'string' ? value.split('\n').filter((line) => line.trim() !== '') : [];
}

function waitOf({ backoff = '1s' }: NodeDefinition, step: StepState | undefined): number {
  if (step?.failedAt === undefined) return 0;
  const failedAt = Date.parse(step.failedAt);
  // The clock was set back since: nobody knows how much of the wait is over.
  if (failedAt > Date.now()) return 0;
  return failedAt + milliseconds(backoff) * 2 ** Math.max(0, step.attempt - 1);
}

/** How an active workflow ends when nothing is left to do; undefined while something is. */
export function endOf(state: WorkflowState): 'done' | 'failed' | undefined {
  const states = state.definition.nodes.map((node) => [node, nodeState(state, node)] as const);
  if (states.some(([, now]) => now === 'open' || now === 'busy')) return undefined;
  const isBad = states.some(([node, now]) => (now === 'failed' && node.mayFail !== true) || isBroken(state, node));
  return isBad ? 'failed' : 'done';
}
