/** Runs the tasks of one call: side by side as far as there are places, results in order, none lost because another fails. */
import { join } from 'node:path';
import { type AgentSession, addUsage } from '@tenon/agent/api';
import { type Logger, messageOf } from '@tenon/kernel';
import { NO_USAGE, type Usage } from '@tenon/models/api';
import type { AgentOutputs } from '@tenon/urls/api';
import type { Board } from './board.ts';
import { type ChildHost, type ChildRun, runChild } from './child.ts';
import type { Task } from './ids.ts';
import type { Changes, Isolation, Workspace } from './isolate.ts';
import { outcomeOf } from './outcome.ts';
import type { Places } from './places.ts';
import { type Caller, type Prepared, TASK } from './prepare.ts';
import { prompts } from './prompts/index.ts';
import { type Finished, tailOf } from './report.ts';
import type { RunSubagent, SubagentResult } from './run-types.ts';

/** How much of a result is part of the details; the agent gets more of it as text. */
const SHOWN_BYTES = 2_000;

/** What running tasks needs. */
export interface BatchHost extends ChildHost {
  readonly log: Logger;
  readonly places: Places;
  readonly outputs: Pick<AgentOutputs, 'put'> | undefined;
  /** 0 for no limit. */
  readonly timeoutMs: number;
  /** Runs subagents that nobody trusts. */
  inProcess(isPlanning: boolean): Promise<RunSubagent>;
}

/** The tasks of one call. */
export interface Batch {
  readonly caller: Caller;
  readonly prepared: Prepared;
  readonly context: string;
  /** With their final ids. */
  readonly tasks: readonly Task[];
  readonly board: Board;
  /** Opens copies of the folder and merges them; absent when the tasks work in the folder itself. */
  readonly isolation?: Isolation;
  /** True when the subagent must not run in this process. */
  readonly isUntrusted: boolean;
}

interface Done extends Finished {
  readonly usage: Usage;
  readonly changes?: Changes;
}

/** Runs all tasks; gives their results in order, and what they have used together. */
export async function runBatch(
  host: BatchHost,
  batch: Batch,
): Promise<{ readonly finished: readonly Finished[]; readonly spent: Usage }> {
  const { caller, tasks, board, isolation } = batch;
  const done = await Promise.all(tasks.map((_, index) => runOne(host, batch, index)));
  const changes = done.flatMap((one, index) =>
    one.changes ? [{ index, label: tasks[index]?.description ?? '', changes: one.changes }] : [],
  );
  if (isolation && changes.length > 0) {
    const merged = await isolation.merge(
      changes.map(({ index, label, changes: made }) => ({
        id: tasks[index]?.id ?? '',
        label,
        changes: made,
        isWanted: board.views()[index]?.status === 'completed',
      })),
      caller.signal,
    );
    for (const { index } of changes) {
      const outcome = merged.find(({ id }) => id === tasks[index]?.id);
      if (outcome) board.merged(index, outcome);
    }
  }
  const views = board.views();
  return {
    finished: done.map((one, index) => ({ output: one.output, view: views[index] ?? one.view })),
    spent: addUsage(done.map(({ usage }) => usage)),
  };
}

/** One task, whatever happens to it. */
async function runOne(host: BatchHost, batch: Batch, index: number): Promise<Done> {
  const { board, caller } = batch;
  const task = batch.tasks[index] as Task;
  let workspace: Workspace | undefined;
  let changes: Changes | undefined;
  let result: SubagentResult = { answer: '', usage: NO_USAGE, toolCount: 0, error: 'It was stopped before it began.' };
  try {
    await host.places.use(caller.scope.session, caller.signal, async () => {
      board.started(index, sessionFile(caller.agent, task.id));
      workspace = await batch.isolation?.open(task.id, caller.signal);
      result = await work(host, batch, index, workspace?.cwd);
      // Also of a task that failed: what it did must not be lost.
      changes = await workspace?.collect();
    });
  } catch (fault) {
    host.log.warn(`the task "${task.id}" failed: ${messageOf(fault)}`, { error: fault });
    result = { ...result, error: messageOf(fault) };
  }
  const stopped = caller.signal.aborted && { isStopped: true };
  const outcome = await outcomeOf({ ...result, ...stopped }, batch.prepared.schema);
  const { status, error, output } = outcome;
  const warnings = [...batch.prepared.warnings, ...outcome.warnings];
  await keep(host, caller.scope.session, task.id, output === '' ? (error ?? '') : output);
  board.ended(
    index,
    {
      status,
      toolCount: result.toolCount,
      output: tailOf(output, SHOWN_BYTES),
      ...(error !== undefined && { error }),
      ...(warnings.length > 0 && { warnings }),
    },
    result.usage,
  );
  const view = board.views()[index];
  if (!view) throw new Error(`the task ${index} is not on the board`);
  return { view, output, usage: result.usage, ...(changes && { changes }) };
}

async function work(host: BatchHost, batch: Batch, index: number, copy: string | undefined): Promise<SubagentResult> {
  const limit = new AbortController();
  const timer = host.timeoutMs > 0 ? setTimeout(() => limit.abort(), host.timeoutMs) : undefined;
  try {
    const run = childRun(batch, index, copy, AbortSignal.any([batch.caller.signal, limit.signal]));
    const result = batch.isUntrusted ? await inOwnProcess(host, batch, run) : await runChild(host, run);
    const isLate = limit.signal.aborted && result.yielded === undefined;
    return isLate ? { ...result, error: 'It took longer than the setting subagents.timeoutMinutes allows.' } : result;
  } finally {
    clearTimeout(timer);
  }
}

/** What it used is not seen by the accounts of this process. */
async function inOwnProcess(host: BatchHost, { caller, prepared }: Batch, run: ChildRun): Promise<SubagentResult> {
  const result = await (await host.inProcess(prepared.isPlanning))(run);
  caller.agent?.addUsage(result.usage);
  return result;
}

function childRun(batch: Batch, index: number, copy: string | undefined, signal: AbortSignal): ChildRun {
  const { caller, prepared, context, board } = batch;
  const { id, description, assignment } = batch.tasks[index] as Task;
  const { definition, model, thinking, tools, schema, depth, spawns, isPlanning } = prepared;
  const { session } = caller.scope;
  const cwd = copy ?? caller.scope.cwd;
  const file = sessionFile(caller.agent, id);
  return {
    id,
    agent: definition.name,
    label: `${definition.name} ${id}`,
    parent: session,
    parentSession: caller.agent?.session.file ?? session,
    ...(caller.call !== undefined && { parentCall: caller.call }),
    cwd,
    sharesFolder: copy === undefined,
    systemPrompt: prompts.system({
      agent: definition.name,
      instructions: definition.systemPrompt,
      hasSchema: schema !== undefined,
      isPlanning,
      isIsolated: copy !== undefined,
      cwd,
      platform: process.platform,
      date: new Date().toISOString().slice(0, 10),
    }),
    // Rules take a request as it is.
    prompt: model.isRules ? assignment : prompts.assignment({ context, description, assignment }),
    model,
    thinking,
    tools: batch.isUntrusted ? tools.filter(isUsableAlone) : tools,
    member: { agent: definition.name, parent: session, depth, spawns, ...(schema && { schema }) },
    ...(schema && { schema }),
    ...(file !== undefined && { sessionFile: file }),
    signal,
    progress: (progress) => board.progress(index, progress),
  };
}

/** A process of its own has none of the connections of this one, and its subagents would be nobody's. */
function isUsableAlone(tool: string): boolean {
  return tool !== TASK && !tool.startsWith('mcp__');
}

/** Beside the outputs of the parent's session, which goes with that session when it is copied or removed. */
export function sessionFile(agent: AgentSession | undefined, id: string): string | undefined {
  const folder = agent?.session.file?.replace(/\.jsonl$/, '');
  return folder === undefined ? undefined : join(folder, 'agents', `${id}.jsonl`);
}

/** A result that cannot be kept is still told. */
async function keep({ outputs, log }: BatchHost, session: string, id: string, text: string): Promise<void> {
  try {
    await outputs?.put(session, id, text);
  } catch (fault) {
    log.warn(`the result of the task "${id}" could not be kept: ${messageOf(fault)}`, { error: fault });
  }
}
