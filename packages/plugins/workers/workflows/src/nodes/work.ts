/** Does the work of a step, by the kind of its node. */
import { existsSync } from 'node:fs';
import { messageOf } from '@tenon/kernel';
import type { Runs } from '@tenon/runs/api';
import type { Sandboxes } from '@tenon/sandbox/api';
import type { Validation } from '@tenon/validation/api';
import { kindOf, milliseconds, type NodeDefinition } from '../definition.ts';
import { errors } from '../errors.ts';
import { filled, type Values } from '../expressions.ts';
import { commandLine } from '../shell-text.ts';
import { stepsOf } from '../plan.ts';
import type { WorkflowState } from '../state.ts';
import { commandNode } from './command-node.ts';
import { type NodeCall, StepFailure, type StepResult } from './node-call.ts';
import { runNode, type RunResult } from './run-node.ts';

/** What nodes work with. */
export interface WorkParts {
  runs(): Promise<Runs>;
  validation(): Promise<Validation | undefined>;
  sandboxes(): Promise<Sandboxes | undefined>;
}

/** Does one step. Not for nodes that ask a person. */
export async function work(
  parts: WorkParts,
  state: WorkflowState,
  values: Values,
  call: NodeCall,
): Promise<StepResult> {
  const { node } = call;
  const text = textOf(node[kindOf(node)] as string, values, call);
  switch (kindOf(node)) {
    case 'agent':
    case 'worker':
      return checked(
        parts,
        values,
        call,
        await runNode(await parts.runs(), text, { ...call, node: named(node, values) }),
      );
    case 'command':
      return commandNode(await parts.sandboxes(), text, call);
    case 'validate':
      return validate(await parts.validation(), call);
    case 'merge':
      return merge(await parts.runs(), state, call);
    case 'approve':
      throw new Error('a person answers this');
  }
}

/** Tries what a run has done: a failure is what the next attempt is told. */
async function checked(parts: WorkParts, values: Values, call: NodeCall, done: RunResult): Promise<StepResult> {
  const { node } = call;
  if (node.check === undefined) return done;
  const { run, ...result } = done;
  if (run.request.workspace !== undefined)
    throw new StepFailure('its check cannot run here: the work was done on another host', done.usd);
  const cwd = run.worktree !== undefined && existsSync(run.worktree.folder) ? run.worktree.folder : call.cwd;
  const line = commandLine(node.check, values, refusals(node));
  try {
    await commandNode(await parts.sandboxes(), line, { ...call, cwd });
    return result;
  } catch (fault) {
    if (!(fault instanceof StepFailure)) throw fault;
    throw new StepFailure(`its check failed: ${fault.message}`, done.usd);
  }
}

/** The text of a node with its values; in a command line each value is text alone. */
export function textOf(text: unknown, values: Values, { node }: Pick<NodeCall, 'node'>): string {
  if (typeof text !== 'string') return '';
  const refuse = refusals(node);
  return node.command === undefined ? filled(text, values, refuse) : commandLine(text, values, refuse);
}

function refusals({ id }: NodeDefinition) {
  return {
    missing(path: string): never {
      throw errors.create('WORKFLOWS_TEMPLATE', { node: id, what: `{{${path}}}` });
    },
    unsafe(path: string): never {
      throw errors.create('WORKFLOWS_UNSAFE_PLACE', { node: id, what: `{{${path}}}` });
    },
  };
}

/** A node whose worker and model are known. */
function named(node: NodeDefinition, values: Values): NodeDefinition {
  const worker = node.with !== undefined && { with: textOf(node.with, values, { node }) };
  const model = node.model !== undefined && { model: textOf(node.model, values, { node }) };
  return { ...node, ...worker, ...model };
}

async function validate(service: Validation | undefined, { cwd, node, signal }: NodeCall): Promise<StepResult> {
  if (!service) throw new StepFailure('validation is not part of this program');
  const limit = node.timeout === undefined ? [] : [AbortSignal.timeout(milliseconds(node.timeout))];
  const until = AbortSignal.any([signal, ...limit]);
  const result = await service.run(await service.plan({ cwd }), { signal: until });
  signal.throwIfAborted();
  if (until.aborted) throw new StepFailure(`it took longer than ${node.timeout}`);
  const failed = result.steps.find(({ code, skipped }) => skipped === undefined && code !== 0);
  if (result.state === 'failed')
    throw new StepFailure(`${failed?.title ?? 'a step'} failed: ${failed?.tail.slice(-2_000) ?? ''}`);
  return { output: { state: result.state, steps: result.steps.map(({ title, code }) => ({ title, code })) } };
}

/** Applies the changes of runs, one after the other. Those that do not fit are told, and stay in their worktrees. */
async function merge(runs: Runs, state: WorkflowState, { node }: NodeCall): Promise<StepResult> {
  const merged: { readonly run: string; readonly files: readonly string[] }[] = [];
  const left: { readonly run: string; readonly reason: string }[] = [];
  for (const id of node.merge ?? []) {
    const other = state.definition.nodes.find((candidate) => candidate.id === id);
    for (const step of (other && stepsOf(state, other)) ?? []) {
      if (step?.run === undefined || step.state !== 'done') continue;
      const run = await runs.find(step.run);
      if (run.worktree === undefined) continue;
      try {
        merged.push({ run: run.alias, files: (await runs.apply(run)).files });
      } catch (fault) {
        left.push({ run: run.alias, reason: messageOf(fault) });
      }
    }
  }
  if (left.length > 0 && node.mayFail !== true)
    throw new StepFailure(
      `${merged.length} applied; not applied: ${left.map(({ run, reason }) => `${run} (${reason})`).join(', ')}. Look at them with tenon runs show, and apply them by hand.`,
    );
  return { output: { merged, left } };
}
