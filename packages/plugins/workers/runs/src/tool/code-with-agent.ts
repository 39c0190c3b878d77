/** The tool with which Tenon's own agent gives work to another one. */
import { Type } from '@tenon/kernel';
import type { Jobs } from '@tenon/jobs/api';
import { explainFailures, textResult, type Tool, type ToolCall, type ToolResult } from '@tenon/tools/api';
import type { WorkerRegistry } from '@tenon/workers/api';
import { cutText, plainLine, shellWord } from '@tenon/wording';
import type { Runs } from '../api.ts';
import { NewsView } from '../commands/news-view.ts';
import { newestPlace } from '../follow.ts';
import { nextSteps } from '../commands/describe.ts';
import { ending } from '../commands/run.ts';
import { errors } from '../errors.ts';
import { prompts } from '../prompts/index.ts';
import type { Run, RunRequest } from '../run.ts';

/** How much of a worker's answer goes into the conversation; the rest is in its log. */
const MAX_ANSWER = 20_000;
/** How much of what it does is shown while it works. */
const MAX_SHOWN = 2_000;

/** What the tool needs of its surroundings. */
export interface CodeWithAgentHost {
  runs(): Promise<Runs>;
  registry(): Promise<WorkerRegistry>;
  jobs(): Promise<Jobs | undefined>;
  /** Names of workers that are known without running anything. */
  readonly workers: readonly string[];
  readonly cwd: string;
}

/** Makes the tool. */
export function createCodeWithAgent(host: CodeWithAgentHost): Tool {
  const place = (call: Pick<ToolCall, 'scope'>) => call.scope?.cwd ?? host.cwd;
  return explainFailures({
    description: prompts.codeWithAgent({ workers: host.workers.map((name) => `\`${name}\``).join(', ') }),
    parameters: Type.Object(
      {
        task: Type.String({ minLength: 1, description: 'The whole task, with all that the other agent must know' }),
        agent: Type.Optional(Type.String({ description: 'Which one' })),
        model: Type.Optional(Type.String({ description: 'Its model' })),
        worktree: Type.Optional(Type.Union([Type.Literal('auto'), Type.Boolean()])),
        validate: Type.Optional(Type.Boolean({ description: 'Build and test afterwards; true if left out' })),
        background: Type.Optional(Type.Boolean({ description: 'Do not wait for it' })),
        interactive: Type.Optional(Type.Boolean({ description: 'Keep its conversation open' })),
        run: Type.Optional(Type.String({ description: 'Go on with this run: its alias' })),
      },
      { additionalProperties: false },
    ),
    async touches(input, call) {
      const registry = await host.registry();
      const earlier = typeof input['run'] === 'string' ? await earlierRun(await host.runs(), input['run']) : undefined;
      const agent = earlier?.worker ?? input['agent'];
      const adapter = typeof agent === 'string' ? await registry.find(agent) : await registry.preferred();
      const cwd = earlier?.folder ?? place(call);
      // What another agent does is not known beforehand, it reaches its vendor and costs money: a person decides.
      return { anything: true, reads: [cwd], commands: [{ text: shellWord(adapter.spec.program), cwd }] };
    },
    async execute(input, call) {
      const service = await host.runs();
      const { run, after } = await begin(service, input, place(call));
      const jobs = input['background'] === true && call.scope ? await host.jobs() : undefined;
      if (jobs && call.scope) return inBackground(service, jobs, call.scope.session, run, after);
      return follow(service, run, after, call);
    },
  });
}

/** A run that an agent may go on with: one without a sandbox would be a way out of the agent's own. */
async function earlierRun(service: Runs, name: string): Promise<Run> {
  const run = await service.find(name);
  if (run.request.sandbox === 'off') throw errors.create('RUNS_PERSON_ONLY', { alias: run.alias });
  return run;
}

/** A new run, or a message to an earlier one; `after` is where the news of this call begin. */
async function begin(
  service: Runs,
  input: Readonly<Record<string, unknown>>,
  cwd: string,
): Promise<{ readonly run: Run; readonly after: number }> {
  const task = String(input['task']);
  if (typeof input['run'] === 'string') {
    const earlier = await earlierRun(service, input['run']);
    const after = await newestPlace(service, earlier, new AbortController().signal);
    return { run: await service.send(earlier, task), after };
  }
  const { agent, model, worktree, validate, interactive } = input;
  const request: RunRequest = {
    task,
    cwd,
    ...(typeof agent === 'string' && { worker: agent }),
    ...(typeof model === 'string' && { model }),
    ...((worktree === 'auto' || typeof worktree === 'boolean') && { worktree }),
    ...(typeof validate === 'boolean' && { validate }),
    ...(interactive === true && { interactive }),
  };
  return { run: await service.start(request), after: 0 };
}

async function follow(service: Runs, run: Run, after: number, call: ToolCall): Promise<ToolResult> {
  const isStopped = await watch(service, run, after, call.signal, (text) => call.update(textResult(text)));
  if (isStopped) {
    await service.cancel(run).catch(() => undefined); // It has ended in this moment.
    call.signal.throwIfAborted();
  }
  return resultOf(service, run);
}

function inBackground(service: Runs, jobs: Jobs, session: string, run: Run, after: number): ToolResult {
  const job = jobs.start({
    session,
    type: 'agent',
    label: `${run.worker}: ${plainLine(run.request.task).slice(0, 80)}`,
    async run({ signal, progress }) {
      if (await watch(service, run, after, signal, async (text) => progress(text))) {
        await service.cancel(run).catch(() => undefined); // It has ended in this moment.
        return { text: `${run.alias} was stopped.`, isError: true };
      }
      const { content, isError } = await resultOf(service, run);
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { text, ...(isError !== undefined && { isError }) };
    },
  });
  return textResult(
    `${run.worker} works on it in the background: run ${run.alias}, job ${job.id}. You are told when it ends.`,
    {
      run: run.alias,
      job: job.id,
    },
  );
}

/** Follows until the run rests; true when the call was stopped before. */
async function watch(
  service: Runs,
  run: Run,
  after: number,
  signal: AbortSignal,
  show: (text: string) => Promise<void>,
): Promise<boolean> {
  const view = new NewsView();
  let shown = '';
  for await (const news of service.follow(run, { signal, untilIdle: true, after })) {
    const text = view.show(news);
    if (text === '') continue;
    shown = (shown + text).slice(-MAX_SHOWN);
    await show(`${run.alias} (${run.worker})\n${shown}`);
  }
  return signal.aborted;
}

async function resultOf(service: Runs, started: Run): Promise<ToolResult> {
  const { run, questions } = await service.details(started);
  const open = questions.filter(({ answer }) => answer === undefined);
  const answer = cutText(run.result?.text ?? '', MAX_ANSWER);
  const parts = [
    answer,
    ...open.map(({ id, text }) => `It asks (${id}): ${text}`),
    ending(run),
    ...(run.worktree === undefined ? [] : [`Its work is in ${run.folder}, not in this checkout.`]),
    ...nextSteps(run, questions).map((step) => `The user can: ${step}`),
  ];
  const isError = run.state === 'failed' || run.state === 'cancelled' || run.validation?.state === 'failed';
  return {
    ...textResult(parts.filter(Boolean).join('\n\n'), { run: run.alias, state: run.state, folder: run.folder }),
    ...(isError && { isError }),
  };
}
