/** Where a workflow stands: a pure function of its journal. */
import type { ProcessMark } from '@tenon/state-files';
import type { Definition } from './definition.ts';

/** A line of the journal. */
export type JournalEntry = { readonly at: string } & (
  | {
      readonly type: 'began';
      readonly id: string;
      readonly file: string;
      readonly cwd: string;
      readonly definition: Definition;
      readonly inputs: Readonly<Record<string, string>>;
    }
  | { readonly type: 'definition'; readonly definition: Definition }
  | { readonly type: 'listed'; readonly node: string; readonly items: readonly unknown[] }
  | { readonly type: 'started'; readonly step: string; readonly attempt: number; readonly run?: string }
  | { readonly type: 'spawned'; readonly step: string; readonly process: ProcessMark }
  | { readonly type: 'done'; readonly step: string; readonly output: unknown; readonly usd?: number }
  | {
      readonly type: 'failed';
      readonly step: string;
      readonly reason: string;
      readonly usd?: number;
      readonly isFinal: boolean;
    }
  | { readonly type: 'skipped'; readonly node: string; readonly reason: string }
  | { readonly type: 'asked'; readonly step: string; readonly question: string }
  | { readonly type: 'answered'; readonly step: string; readonly answer: string }
  | { readonly type: 'cancelled' }
  | { readonly type: 'retried'; readonly steps: readonly string[] }
  | { readonly type: 'ended'; readonly state: 'done' | 'failed' }
);

/** Where one step stands. A node with `each` has a step for each item: `node[0]`, `node[1]` … */
export interface StepState {
  readonly step: string;
  readonly node: string;
  readonly item?: unknown;
  readonly state: 'open' | 'running' | 'asking' | 'done' | 'failed';
  readonly attempt: number;
  readonly run?: string;
  /** The process of its command. */
  readonly process?: ProcessMark;
  /** A person wants it tried again: its run, which has failed, goes on. */
  readonly isAgain?: boolean;
  readonly output?: unknown;
  /** What its run has cost so far, US dollars: a run that goes on tells all of it again. */
  readonly usd?: number;
  readonly reason?: string;
  readonly question?: string;
  /** When it last failed, for the wait before the next attempt. */
  readonly failedAt?: string;
}

/** Where a workflow stands. */
export interface WorkflowState {
  readonly id: string;
  readonly file: string;
  readonly cwd: string;
  readonly definition: Definition;
  readonly inputs: Readonly<Record<string, string>>;
  readonly began: string;
  readonly state: 'active' | 'done' | 'failed' | 'cancelled';
  readonly ended?: string;
  readonly steps: ReadonlyMap<string, StepState>;
  /** Nodes whose list of items is known. */
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
  readonly skipped: ReadonlyMap<string, string>;
  readonly usd: number;
}

/** The name of the step of an item. */
export const stepOf = (node: string, index: number) => `${node}[${index}]`;

/** The state after an entry. The first entry of a journal is `began`. The state before is used up: a copy for each of 10,000 steps would take minutes. */
export function after(state: WorkflowState | undefined, entry: JournalEntry): WorkflowState {
  if (entry.type === 'began') {
    const { id, file, cwd, definition, inputs, at } = entry;
    return {
      id,
      file,
      cwd,
      definition,
      inputs,
      began: at,
      state: 'active',
      steps: new Map(),
      lists: new Map(),
      skipped: new Map(),
      usd: 0,
    };
  }
  if (!state) throw new Error('a journal begins with `began`');
  switch (entry.type) {
    case 'definition':
      return { ...state, definition: entry.definition };
    case 'listed':
      return { ...state, lists: put(state.lists, entry.node, entry.items) };
    case 'started': {
      const isOther = entry.run !== undefined && entry.run !== state.steps.get(entry.step)?.run;
      return withStep(state, entry.step, {
        state: 'running',
        attempt: entry.attempt,
        ...(entry.run !== undefined && { run: entry.run }),
        ...(isOther && { usd: 0 }),
      });
    }
    case 'spawned':
      return withStep(state, entry.step, { process: entry.process });
    case 'done':
      return withStep(spent(state, entry), entry.step, { state: 'done', output: entry.output });
    case 'failed':
      return withStep(spent(state, entry), entry.step, {
        state: entry.isFinal ? 'failed' : 'open',
        reason: entry.reason,
        failedAt: entry.at,
      });
    case 'skipped':
      return { ...state, skipped: put(state.skipped, entry.node, entry.reason) };
    case 'asked':
      return withStep(state, entry.step, { state: 'asking', question: entry.question });
    case 'answered':
      return withStep(state, entry.step, { state: 'done', output: { answer: entry.answer, yes: isYes(entry.answer) } });
    case 'cancelled':
      return { ...state, state: 'cancelled', ended: entry.at };
    case 'retried':
      return retried(state, entry.steps);
    case 'ended':
      return { ...state, state: entry.state, ended: entry.at };
  }
}

/** Whether an answer agrees. */
export function isYes(answer: string): boolean {
  return /^(?:y|yes|ok|true|approve|approved)$/i.test(answer.trim());
}

function withStep(state: WorkflowState, step: string, change: Partial<StepState>): WorkflowState {
  const known = state.steps.get(step) ?? newStep(state, step);
  return { ...state, steps: put(state.steps, step, { ...known, ...change }) };
}

function put<T>(map: ReadonlyMap<string, T>, key: string, value: T): ReadonlyMap<string, T> {
  return (map as Map<string, T>).set(key, value);
}

function newStep(state: WorkflowState, step: string): StepState {
  const [, node = step, index] = /^(.+)\[(\d+)\]$/.exec(step) ?? [];
  const item = index === undefined ? undefined : state.lists.get(node)?.[Number(index)];
  return { step, node, ...(item !== undefined && { item }), state: 'open', attempt: 0 };
}

function spent(state: WorkflowState, { step, usd }: { readonly step: string; readonly usd?: number }): WorkflowState {
  if (usd === undefined) return state;
  const known = state.steps.get(step)?.usd ?? 0;
  return withStep({ ...state, usd: state.usd + usd }, step, { usd: known + usd });
}

/** Failed steps begin anew, and what was skipped because of them is decided again. */
function retried(state: WorkflowState, steps: readonly string[]): WorkflowState {
  const wanted = new Set(steps);
  const kept = [...state.steps].map(([step, found]) => {
    if (!wanted.has(step)) return [step, found] as const;
    const { reason: _reason, failedAt: _failedAt, ...rest } = found;
    return [step, { ...rest, state: 'open' as const, attempt: 0, isAgain: true }] as const;
  });
  const { ended: _ended, ...rest } = state;
  return { ...rest, state: 'active', steps: new Map(kept), skipped: new Map() };
}
