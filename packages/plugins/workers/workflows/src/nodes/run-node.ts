/** Nodes that are runs: Tenon's own agent, or another coding agent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonSchema, messageOf } from '@tenon/kernel';
import { ENDED_STATES, type Run, type RunRequest, type Runs } from '@tenon/runs/api';
import { milliseconds, type NodeDefinition } from '../definition.ts';
import { runKey } from '../journal.ts';
import { type NodeCall, StepFailure, type StepResult } from './node-call.ts';

const LOOK_MS = 500;

/** What a run gave, and the run. */
export interface RunResult extends StepResult {
  readonly run: Run;
}

/** Begins the run of a step, or finds the one that was begun before a crash, and waits for its end. */
export async function runNode(runs: Runs, task: string, call: NodeCall): Promise<RunResult> {
  const { node, signal } = call;
  let run = await begin(runs, task, call);
  await call.begun(run.id);
  for (let isWaiting = false; !ENDED_STATES.includes(run.state);) {
    signal.throwIfAborted();
    if (run.state === 'waiting' && !isWaiting) {
      isWaiting = true;
      call.waits(`The worker asks something: tenon runs answer ${run.alias}`);
    }
    if (run.state !== 'waiting') {
      isWaiting = false;
      for await (const news of runs.follow(run, { signal, untilIdle: true })) void news;
    }
    await sleep(LOOK_MS, undefined, { signal });
    run = await runs.find(run.id);
  }
  const usd = run.cost !== undefined && { usd: run.cost };
  if (run.state !== 'done') throw new StepFailure(run.error?.message ?? `the run was ${run.state}`, run.cost);
  if (node.output !== undefined && run.result?.structured === undefined)
    throw new StepFailure('its answer does not have the form that `output` asks for', run.cost);
  const { text = '', structured } = run.result ?? {};
  return {
    run,
    output: { text, ...(structured !== undefined && { data: structured }), run: run.id, alias: run.alias },
    ...usd,
  };
}

async function begin(runs: Runs, task: string, call: NodeCall): Promise<Run> {
  const { node, workflow, step, attempt, run, cwd } = call;
  const known = run === undefined ? undefined : await runs.find(run).catch(() => undefined); // Somebody has removed it.
  const isNext = attempt > 1 || call.isAgain;
  // An attempt after the first is told what the earlier ones have already done.
  if (known && isNext && (known.state === 'failed' || known.state === 'cancelled')) return runs.retry(known);
  // The run was done, but its work did not pass: it goes on, and is told why.
  if (
    known?.state === 'done' &&
    isNext &&
    !call.wasInterrupted &&
    node.check !== undefined &&
    call.reason !== undefined
  )
    return runs.send(known, `That is not done yet: ${call.reason}\n\nGo on until it is.`);
  // The run was done, but its answer was not what the node asks for: only another run can give another one.
  const isUseless = known?.state === 'done' && isNext && !call.wasInterrupted;
  if (known && !isUseless) return known;
  const request: RunRequest = {
    task,
    cwd,
    key: known ? runKey(workflow, `${step}\0${known.id}`, attempt) : runKey(workflow, step, 1),
    validate: false,
    worktree: node.worktree ?? false,
    ...workerOf(node),
    ...(node.model !== undefined && { model: node.model }),
    ...(node.output !== undefined && { schema: node.output as JsonSchema }),
    ...(node.timeout !== undefined && { timeoutMs: milliseconds(node.timeout) }),
  };
  try {
    return await runs.start(request);
  } catch (fault) {
    throw new StepFailure(messageOf(fault));
  }
}

function workerOf(node: NodeDefinition): Pick<RunRequest, 'worker'> {
  if (node.agent !== undefined) return { worker: 'tenon' };
  return node.with === undefined ? {} : { worker: node.with };
}
