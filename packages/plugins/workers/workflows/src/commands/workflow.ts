/** The commands `tenon workflow …`. */
import { resolve, join } from 'node:path';
import { existsSync } from 'node:fs';
import { type CommandCall, EXIT } from '@tenon/command-line/api';
import { messageOf } from '@tenon/kernel';
import { withLock } from '@tenon/state-files';
import { counted, didYouMean, plainText } from '@tenon/wording';
import type { Definition } from '../definition.ts';
import { cancel, Driver, type DriverParts, type Stop } from '../driver.ts';
import { errors } from '../errors.ts';
import { mermaid, outline } from '../graph.ts';
import { beginJournal, findWorkflow, type Journal, openJournal, readState, workflowIds } from '../journal.ts';
import { nodeState, stepsOf } from '../plan.ts';
import { inputsOf, readDefinition } from '../read-definition.ts';
import type { WorkflowState } from '../state.ts';
import { leaveWish } from '../wishes.ts';

/** What the commands work with. */
export interface CommandParts extends Omit<DriverParts, 'folder' | 'tell'> {
  /** The folder of all workflows. */
  readonly workflows: string;
}

/** How long another process may take to let go of a workflow. */
const LOCK_WAIT_MS = 500;
const EXITS: Readonly<Record<Stop, number>> = {
  done: EXIT.ok,
  failed: EXIT.failure,
  cancelled: EXIT.failure,
  waiting: EXIT.unavailable,
  interrupted: EXIT.interrupted,
};

/** `workflow run FILE` */
export async function runWorkflow(parts: CommandParts, call: CommandCall): Promise<number> {
  const file = resolve(call.cwd, String(call.args['file']));
  const definition = await readDefinition(file);
  const inputs = inputsOf(definition, (call.flags['input'] as string[] | undefined) ?? []);
  if (call.flags['dry-run'] === true) {
    if (call.flags['json'] === true) await call.io.json({ definition, inputs });
    else await call.io.out(plainText(outline(definition)));
    return EXIT.ok;
  }
  const journal = await beginJournal(parts.workflows, { file, cwd: call.cwd, definition, inputs });
  return drive(parts, call, journal.state.id, async () => journal);
}

/** `workflow continue ID` */
export async function continueWorkflow(parts: CommandParts, call: CommandCall): Promise<number> {
  const id = await findWorkflow(parts.workflows, String(call.args['workflow']));
  return drive(parts, call, id, async () => {
    const journal = await openJournal(parts.workflows, id);
    const { state, file } = journal.state;
    if (state !== 'active') throw errors.create('WORKFLOWS_OVER', { id, state });
    if (call.flags['take-changes'] === true) await takeChanges(journal, await readDefinition(file));
    return journal;
  });
}

/** `workflow retry ID` */
export async function retryWorkflow(parts: CommandParts, call: CommandCall): Promise<number> {
  const id = await findWorkflow(parts.workflows, String(call.args['workflow']));
  return drive(parts, call, id, async () => {
    const journal = await openJournal(parts.workflows, id);
    await retryFailed(journal);
    return journal;
  });
}

/** Lets what failed begin anew. One of which nothing has failed stays as it is: cancelled, done, or refused by a person. */
export async function retryFailed(journal: Journal): Promise<void> {
  const failed = [...journal.state.steps.values()].filter(({ state }) => state === 'failed').map(({ step }) => step);
  if (failed.length === 0) throw errors.create('WORKFLOWS_NOTHING_FAILED', { id: journal.state.id });
  await journal.add({ type: 'retried', steps: failed });
}

/** `workflow answer ID NODE ANSWER` */
export async function answerWorkflow(parts: CommandParts, call: CommandCall): Promise<number> {
  const id = await findWorkflow(parts.workflows, String(call.args['workflow']));
  const step = String(call.args['node']);
  const answer = [call.args['answer'] ?? []].flat().join(' ');
  const { steps } = await readState(parts.workflows, id);
  const asking = [...steps.values()].filter(({ state }) => state === 'asking').map((found) => found.step);
  if (!asking.includes(step))
    throw errors.create('WORKFLOWS_NO_QUESTION', { node: step, id, hint: didYouMean(step, asking) });
  try {
    return await drive(parts, call, id, async () => {
      const journal = await openJournal(parts.workflows, id);
      // Somebody else may have answered in the meantime: the first answer counts.
      if (journal.state.state !== 'active' || journal.state.steps.get(step)?.state !== 'asking')
        throw errors.create('WORKFLOWS_NO_QUESTION', { node: step, id, hint: '' });
      await journal.add({ type: 'answered', step, answer });
      return journal;
    });
  } catch (fault) {
    if (!isBusy(fault)) throw fault;
    await leaveWish(join(parts.workflows, id), { type: 'answer', step, answer });
    await call.io.err('The process that works on it goes on with your answer.\n');
    return EXIT.ok;
  }
}

/** `workflow cancel ID` */
export async function cancelWorkflow(parts: CommandParts, call: CommandCall): Promise<number> {
  const id = await findWorkflow(parts.workflows, String(call.args['workflow']));
  try {
    await alone(parts, id, async () => {
      const journal = await openJournal(parts.workflows, id);
      if (journal.state.state !== 'active') throw errors.create('WORKFLOWS_OVER', { id, state: journal.state.state });
      await cancel(journal, parts);
    });
  } catch (fault) {
    if (!isBusy(fault)) throw fault;
    await leaveWish(join(parts.workflows, id), { type: 'cancel' });
  }
  if (call.flags['json'] === true) await call.io.json({ id, cancelled: true });
  else await call.io.out(`${id} is cancelled.\n`);
  return EXIT.ok;
}

/** `workflow list` */
export async function listWorkflows(parts: CommandParts, { flags, io }: CommandCall): Promise<number> {
  const states: WorkflowState[] = [];
  for (const id of await workflowIds(parts.workflows)) {
    try {
      states.push(await readState(parts.workflows, id));
    } catch (fault) {
      await io.err(`${id}: ${messageOf(fault)}\n`);
    }
  }
  states.sort((a, b) => (a.began < b.began ? 1 : -1));
  if (flags['json'] === true) await io.json({ workflows: states.map(summaryOf) });
  else if (states.length === 0) await io.out('No workflow yet. Begin one: tenon workflow run FILE\n');
  else for (const state of states) await io.out(`${plainText(lineOf(state))}\n`);
  return EXIT.ok;
}

/** `workflow show ID` */
export async function showWorkflow(parts: CommandParts, { args, flags, io }: CommandCall): Promise<number> {
  const state = await readState(parts.workflows, await findWorkflow(parts.workflows, String(args['workflow'])));
  if (flags['json'] === true) {
    await io.json({
      ...summaryOf(state),
      inputs: state.inputs,
      steps: [...state.steps.values()],
      skipped: Object.fromEntries(state.skipped),
    });
    return EXIT.ok;
  }
  await io.out(`${plainText(lineOf(state))}\n`);
  for (const node of state.definition.nodes) {
    await io.out(
      `  ${node.id}: ${nodeState(state, node)}${state.skipped.has(node.id) ? `, ${plainText(state.skipped.get(node.id) ?? '')}` : ''}\n`,
    );
    for (const step of stepsOf(state, node) ?? []) {
      if (!step) continue;
      const said = step.question ?? step.reason;
      if (node.each !== undefined) await io.out(`    ${step.step}: ${step.state}\n`);
      if (said !== undefined && step.state !== 'done') await io.out(`      ${plainText(said)}\n`);
      if (step.state === 'asking') await io.out(`      tenon workflow answer ${state.id} ${step.step} yes\n`);
    }
  }
  return EXIT.ok;
}

/** `workflow graph FILE|ID` */
export async function graphWorkflow(parts: CommandParts, { args, cwd, io }: CommandCall): Promise<number> {
  const name = String(args['workflow']);
  const file = resolve(cwd, name);
  if (existsSync(file)) await io.out(mermaid(await readDefinition(file)));
  else {
    const state = await readState(parts.workflows, await findWorkflow(parts.workflows, name));
    await io.out(mermaid(state.definition, state));
  }
  return EXIT.ok;
}

/** Works on a workflow while no other process does, and tells how it went. */
async function drive(
  parts: CommandParts,
  call: CommandCall,
  id: string,
  prepare: () => Promise<Journal>,
): Promise<number> {
  const isJson = call.flags['json'] === true;
  let told: Promise<unknown> = Promise.resolve();
  const tell = (line: string) => {
    if (!isJson) told = told.then(() => call.io.out(`${plainText(line)}\n`));
  };
  const stop = await alone(parts, id, async () => {
    const journal = await prepare();
    tell(`${id}: ${journal.state.definition.name}`);
    const folder = join(parts.workflows, id);
    const stopped = await new Driver(journal, { ...parts, folder, tell }, call.signal).drive();
    await told;
    if (isJson)
      await call.io.json({ ...summaryOf(journal.state), stop: stopped, steps: [...journal.state.steps.values()] });
    return stopped;
  });
  const next: Partial<Record<Stop, string>> = {
    failed: `Failed. Run what failed again: tenon workflow retry ${id}`,
    waiting: `Waits for you: tenon workflow show ${id}`,
    interrupted: `Interrupted. Go on: tenon workflow continue ${id}`,
    cancelled: 'Cancelled.',
    done: 'Done.',
  };
  if (!isJson) await call.io.out(`${next[stop]}\n`);
  if (!isJson && stop === 'done') await showResults(await readState(parts.workflows, id), call);
  return EXITS[stop];
}

/** What the last nodes gave: those that no other node needs. */
async function showResults(state: WorkflowState, { io }: CommandCall): Promise<void> {
  const needed = new Set(state.definition.nodes.flatMap(({ needs = [] }) => needs));
  for (const node of state.definition.nodes.filter(({ id }) => !needed.has(id)))
    for (const step of stepsOf(state, node) ?? []) {
      const { output, text } = (step?.output ?? {}) as { readonly output?: string; readonly text?: string };
      const said = output ?? text;
      if (said !== undefined && said !== '') await io.out(`\n${plainText(said)}\n`);
    }
}

/** Does something with a workflow while no other process works on it. */
export async function alone<T>(
  parts: Pick<CommandParts, 'workflows'>,
  id: string,
  work: () => Promise<T>,
  waitMs = LOCK_WAIT_MS,
): Promise<T> {
  let isInside = false;
  try {
    return await withLock(
      join(parts.workflows, id, 'journal.jsonl'),
      async () => {
        isInside = true;
        return work();
      },
      { waitMs },
    );
  } catch (fault) {
    if (isInside) throw fault;
    throw errors.create('WORKFLOWS_BUSY', { id }, fault);
  }
}

/** Whether another process works on the workflow. */
export function isBusy(fault: unknown): boolean {
  return (fault as { readonly code?: unknown }).code === 'WORKFLOWS_BUSY';
}

/** Takes a changed definition over. Nodes that have begun must be as they were: what they gave came from what they said. */
async function takeChanges(journal: Journal, definition: Definition): Promise<void> {
  const { state } = journal;
  const begun = new Set([...state.steps.values()].map(({ node }) => node));
  const changed = state.definition.nodes.filter((node) => {
    const now = definition.nodes.find(({ id }) => id === node.id);
    return begun.has(node.id) && JSON.stringify(now) !== JSON.stringify(node);
  });
  if (changed.length > 0) throw errors.create('WORKFLOWS_CHANGED', { nodes: changed.map(({ id }) => id).join(', ') });
  await journal.add({ type: 'definition', definition });
}

function summaryOf({ id, definition, state, began, ended, usd, file }: WorkflowState) {
  return { id, name: definition.name, state, began, ...(ended !== undefined && { ended }), usd, file };
}

function lineOf(state: WorkflowState): string {
  const nodes = state.definition.nodes.map((node) => nodeState(state, node));
  const done = nodes.filter((now) => now === 'done' || now === 'skipped').length;
  const asks = [...state.steps.values()].filter((step) => step.state === 'asking').length;
  const waits = asks > 0 && state.state === 'active' ? `, ${counted(asks, 'question')} for you` : '';
  return `${state.id}  ${state.state}  ${done} of ${counted(nodes.length, 'node')}${waits}  ${state.definition.name}`;
}
