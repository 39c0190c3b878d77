/** The tool with which an agent gives tasks to subagents. */
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LiveAgents } from '@tenon/agent/api';
import type { Jobs } from '@tenon/jobs/api';
import { type Logger, messageOf, Type } from '@tenon/kernel';
import type { AgentOutputs } from '@tenon/urls/api';
import { explainFailures, scopeOf, textResult, type Tool, type ToolCall, type ToolResult } from '@tenon/tools/api';
import { cutText, plainLine } from '@tenon/wording';
import { type Batch, type BatchHost, runBatch, sessionFile } from './batch.ts';
import { Board, type TaskDetails } from './board.ts';
import type { AgentBook, KnownAgent } from './definitions.ts';
import { errors } from './errors.ts';
import { checkIds, type Ids, type Task } from './ids.ts';
import type { Isolation } from './isolate.ts';
import { type Caller, prepare, type PrepareHost, TASK } from './prepare.ts';
import { type ListedAgent, prompts } from './prompts/index.ts';
import { reportText } from './report.ts';

const MAX_LISTED = 20;
const MAX_DESCRIPTION = 160;
const MAX_LABEL = 80;

/** What the tool needs. */
export interface TaskToolHost extends PrepareHost {
  readonly book: AgentBook;
  readonly ids: Ids;
  readonly cwd: string;
  readonly maxTasks: number;
  readonly canIsolate: boolean;
  readonly log: Logger;
  /** Aborts when the plugin is unloaded. */
  readonly signal: AbortSignal;
  agents(): Promise<LiveAgents | undefined>;
  jobs(): Promise<Jobs | undefined>;
  outputs(): Promise<AgentOutputs | undefined>;
  batchHost(): Promise<BatchHost>;
  isolation(caller: Caller): Isolation;
  /** Whether a definition may work in this process. */
  isTrusted(definition: KnownAgent): Promise<boolean>;
}

interface Input {
  readonly agent: string;
  readonly tasks: readonly Task[];
  readonly context?: string;
  readonly schema?: unknown;
  readonly isolated?: boolean;
  readonly background?: boolean;
}

/** Makes the tool; `listed` are the subagents that its description names at the moment. */
export function createTaskTool(host: TaskToolHost, listed: () => readonly KnownAgent[]): Tool {
  const tool = explainFailures({
    description: '',
    parameters: Type.Object(
      {
        agent: Type.String({ description: 'Which subagent' }),
        tasks: Type.Array(
          Type.Object(
            {
              id: Type.String({ description: 'Short, unique: becomes agent://ID' }),
              description: Type.String({ description: 'A few words for people' }),
              assignment: Type.String({ description: 'All that the subagent must know and do' }),
            },
            { additionalProperties: false },
          ),
          { minItems: 1 },
        ),
        context: Type.Optional(Type.String({ description: 'For all tasks' })),
        schema: Type.Optional(Type.Unknown({ description: 'JSON Schema of each result' })),
        isolated: Type.Optional(Type.Boolean({ description: 'Each task in a copy of the folder' })),
        background: Type.Optional(Type.Boolean({ description: 'Do not wait' })),
      },
      { additionalProperties: false },
    ),
    // The calls of subagents are judged one by one. Merging changes the folder itself.
    touches: ({ isolated }) => (isolated === true ? { writes: [] } : {}),
    execute: (input, call) => execute(host, input as unknown as Input, call),
  });
  return {
    ...tool,
    get description() {
      return prompts.task({ agents: listed().slice(0, MAX_LISTED).map(inList), canIsolate: host.canIsolate });
    },
  };
}

/** What a project says about itself goes into the prompt, so it is one line, and not long. */
function inList({ name, description }: KnownAgent): ListedAgent {
  return { name: plainLine(name), description: cutText(plainLine(description), MAX_DESCRIPTION) };
}

async function execute(host: TaskToolHost, input: Input, call: ToolCall): Promise<ToolResult> {
  const scope = scopeOf(call, { cwd: host.cwd });
  const { id, signal } = call;
  const caller: Caller = { scope, agent: (await host.agents())?.get(scope.session), call: id, signal };
  const definition = await host.book.get(input.agent, scope.cwd, call.signal);
  host.family.checkSpawn(scope.session, definition.name);
  checkIds(input.tasks);
  if (input.tasks.length > host.maxTasks)
    throw errors.create('SUBAGENTS_TOO_MANY', { count: input.tasks.length, limit: host.maxTasks });
  if (input.isolated === true && !host.canIsolate) throw errors.create('SUBAGENTS_ISOLATION_OFF');
  const ready = await prepared(host, definition, input, caller);
  if (input.background === true) return inBackground(host, call, ready);
  return ready.run(call.signal, (board) => call.update({ ...textResult(board.text()), details: board.details() }));
}

/** A call that nothing is wrong with. */
interface Ready {
  readonly agent: string;
  readonly ids: readonly string[];
  run(signal: AbortSignal, show: (board: Board) => Promise<void>): Promise<ToolResult>;
}

/** Checks everything that can be wrong before the first subagent starts. */
async function prepared(host: TaskToolHost, definition: KnownAgent, input: Input, caller: Caller): Promise<Ready> {
  const shared = await prepare(host, definition, caller, input.schema);
  const isUntrusted = !(await host.isTrusted(definition));
  const batchHost = await host.batchHost();
  const { session } = caller.scope;
  const used = [...((await (await host.outputs())?.list(session)) ?? []), ...(await earlierIds(caller))];
  const ids = host.ids.take(
    session,
    input.tasks.map(({ id }) => id),
    used,
  );
  const tasks = input.tasks.map((task, index) => ({ ...task, id: ids[index] ?? task.id }));
  const run: Ready['run'] = async (signal, show) => {
    const either = AbortSignal.any([signal, host.signal]);
    const watched = { ...caller, signal: either };
    const isolation = input.isolated === true ? host.isolation(watched) : undefined;
    const failed = (fault: unknown) => host.log.warn(`the state of tasks could not be shown: ${messageOf(fault)}`);
    const model = `${shared.model.provider}/${shared.model.id}`;
    const board = new Board({ agent: definition.name, model }, tasks, (shown) => show(shown).catch(failed));
    const batch: Batch = {
      caller: watched,
      prepared: shared,
      context: input.context ?? '',
      tasks,
      board,
      isUntrusted,
      ...(isolation && { isolation }),
    };
    try {
      const { finished, spent } = await runBatch(batchHost, batch);
      const details: TaskDetails = { ...board.details(), spent };
      const isError = finished.every(({ view }) => view.status !== 'completed');
      return { ...textResult(reportText(definition.name, finished), { ...details }), ...(isError && { isError }) };
    } finally {
      await board.close();
      await isolation?.close();
    }
  };
  return { agent: definition.name, ids, run };
}

/** Subagents of a process that was killed have left a session and no result. */
async function earlierIds({ agent }: Caller): Promise<readonly string[]> {
  const file = sessionFile(agent, 'x');
  if (file === undefined) return [];
  const names = await readdir(dirname(file)).catch(() => []); // No subagent yet: no folder.
  return names.flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : []));
}

async function inBackground(host: TaskToolHost, { scope }: ToolCall, ready: Ready): Promise<ToolResult> {
  if (!scope) throw errors.create('SUBAGENTS_NO_JOBS', { reason: 'the call belongs to no session' });
  const jobs = await host.jobs();
  if (!jobs) throw errors.create('SUBAGENTS_NO_JOBS', { reason: 'the plugin jobs is not enabled' });
  const names = ready.ids.join(', ');
  const job = jobs.start({
    session: scope.session,
    type: TASK,
    label: cutText(`${ready.agent}: ${names}`, MAX_LABEL),
    async run({ signal, progress }) {
      const { content, isError } = await ready.run(signal, async (board) => progress(board.text()));
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { text, ...(isError !== undefined && { isError }) };
    },
  });
  const text = `The subagents work in the background: job ${job.id} (${names}). You are told when they are done; the results are then in agent://ID, too.`;
  return textResult(text, { agent: ready.agent, job: job.id, ids: ready.ids });
}
