/** Where workflows stand, for pages and programs: plain data of bounded size. */
import { type Definition, kindOf, KINDS, type NodeDefinition, type NodeKind } from './definition.ts';
import { waves } from './graph.ts';
import { nodeState, type NodeState, stepsOf } from './plan.ts';
import type { StepState, WorkflowState } from './state.ts';

/** A workflow in a list. */
export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly state: WorkflowState['state'];
  readonly began: string;
  readonly ended?: string;
  /** When its journal was last written, ISO 8601. */
  readonly changed: string;
  /** US dollars. */
  readonly usd: number;
  readonly file: string;
  readonly cwd: string;
  /** How many nodes it has, and how many of them are done or were skipped. */
  readonly nodes: number;
  readonly over: number;
  /** Steps that wait for a person. */
  readonly questions: number;
}

/** A step of a node. */
export interface StepSummary {
  readonly step: string;
  readonly state: StepState['state'];
  readonly attempt: number;
  /** The item of a node with `each`, as text. */
  readonly item?: string;
  /** The run that does it. */
  readonly run?: string;
  readonly question?: string;
  readonly reason?: string;
  /** What it gave, as text. */
  readonly output?: string;
}

/** A node and where it stands. */
export interface NodeSummary {
  readonly id: string;
  readonly kind: NodeKind;
  /** What it is asked for, as it is written. */
  readonly text: string;
  readonly needs: readonly string[];
  /** Nodes of one wave can run at the same time; the first is 0. */
  readonly wave: number;
  readonly isEach: boolean;
  readonly when?: string;
  readonly state: NodeState | 'asking';
  /** Why it was skipped. */
  readonly skipped?: string;
  /** How many steps stand where. */
  readonly counts: Readonly<Partial<Record<StepState['state'], number>>>;
  /** The steps that have begun; of many those first that need somebody. */
  readonly steps: readonly StepSummary[];
}

/** Everything about a workflow. */
export interface WorkflowDetails extends WorkflowSummary {
  readonly inputs: Readonly<Record<string, string>>;
  readonly graph: readonly NodeSummary[];
  /** Whether a process works on it. One that is active and that nobody works on waits for a person, or was interrupted. */
  readonly isWorkedOn: boolean;
}

const MAX_STEPS = 100;
const MAX_TEXT = 2_000;
const URGENCY: readonly StepState['state'][] = ['asking', 'failed', 'running', 'open', 'done'];

/** A workflow in a list. */
export function summaryOf(state: WorkflowState, changed: string): WorkflowSummary {
  const { id, definition, began, ended, usd, file, cwd } = state;
  const nodes = definition.nodes.map((node) => nodeState(state, node));
  return {
    id,
    name: definition.name,
    state: state.state,
    began,
    ...(ended !== undefined && { ended }),
    changed,
    usd,
    file,
    cwd,
    nodes: nodes.length,
    over: nodes.filter((now) => now === 'done' || now === 'skipped').length,
    questions:
      state.state === 'active' ? [...state.steps.values()].filter((step) => step.state === 'asking').length : 0,
  };
}

/** Its nodes in the order of the definition. */
export function graphOf(state: WorkflowState): readonly NodeSummary[] {
  const place = placesOf(state.definition);
  return state.definition.nodes.map((node) => {
    const steps = (stepsOf(state, node) ?? []).filter((step) => step !== undefined);
    const counts: Partial<Record<StepState['state'], number>> = {};
    for (const { state: now } of steps) counts[now] = (counts[now] ?? 0) + 1;
    const skipped = state.skipped.get(node.id);
    return {
      id: node.id,
      kind: kindOf(node),
      text: cut(textOf(node)),
      needs: node.needs ?? [],
      wave: place.get(node.id) ?? 0,
      isEach: node.each !== undefined,
      ...(node.when !== undefined && { when: node.when }),
      state: (counts.asking ?? 0) > 0 && state.state === 'active' ? 'asking' : nodeState(state, node),
      ...(skipped !== undefined && { skipped }),
      counts,
      steps: urgentFirst(steps).slice(0, MAX_STEPS).map(stepSummary),
    };
  });
}

function placesOf(definition: Definition): ReadonlyMap<string, number> {
  return new Map(waves(definition).flatMap((group, index) => group.map(({ id }) => [id, index] as const)));
}

/** In their order where all are shown. */
function urgentFirst(steps: readonly StepState[]): readonly StepState[] {
  if (steps.length <= MAX_STEPS) return steps;
  return [...steps].sort((a, b) => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state));
}

function stepSummary({ step, state, attempt, item, run, question, reason, output }: StepState): StepSummary {
  const given = outputText(output);
  return {
    step,
    state,
    attempt,
    ...(item !== undefined && { item: cut(plain(item)) }),
    ...(run !== undefined && { run }),
    // Nobody says yes to what they cannot see.
    ...(state === 'asking' && question !== undefined && { question }),
    ...(state !== 'done' && reason !== undefined && { reason: cut(reason) }),
    ...(state === 'done' && given !== '' && { output: cut(given) }),
  };
}

/** What people want to read of an output: the text of a run or command, an answer, else all of it. */
function outputText(output: unknown): string {
  if (typeof output !== 'object' || output === null) return output === undefined ? '' : plain(output);
  const { text, output: printed, answer } = output as Readonly<Record<string, unknown>>;
  const said = [text, printed, answer].find((value) => typeof value === 'string');
  return typeof said === 'string' ? said : plain(output);
}

function textOf(node: NodeDefinition): string {
  const value = KINDS.map((kind) => node[kind]).find((found) => found !== undefined);
  return typeof value === 'string' ? value : value === true ? '' : plain(value);
}

const plain = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}
