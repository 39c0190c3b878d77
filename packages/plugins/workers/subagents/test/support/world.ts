/** A real agent with subagents over models that play a script for each of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentEvent, agentFactory, type AgentSession } from '@tenon/agent/api';
import type { UserInterface } from '@tenon/host';
import { SILENT, userInterface } from '@tenon/host';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import type { Answer, Request } from '@tenon/test-kit/scripted-models';

/** What one agent says, turn by turn; the last answer repeats. */
export type Turns = readonly (Answer | ((request: Request) => Answer))[];

/** What the main agent says, and its subagents by the description of their task. */
export interface Cast {
  readonly main: Turns;
  readonly tasks?: Readonly<Record<string, Turns>>;
}

/** The text of the message that began a conversation. */
export function opening({ messages }: Request): string {
  const [first] = messages;
  if (first?.role !== 'user') return '';
  return typeof first.content === 'string' ? first.content : JSON.stringify(first.content);
}

/** The description of the task that a request is about; nothing for the main agent. */
export function taskOf(request: Request): string | undefined {
  return request.systemPrompt.startsWith('You are a subagent')
    ? (/# Your task: (.*)/.exec(opening(request))?.[1] ?? '')
    : undefined;
}

/** Plays the cast. */
export function answerBy({ main, tasks = {} }: Cast): (request: Request) => Answer {
  return (request) => {
    const task = taskOf(request);
    const turns =
      task === undefined ? main : (tasks[task] ?? [{ calls: [{ name: 'yield', arguments: { result: task } }] }]);
    const said = request.messages.filter(({ role }) => role === 'assistant').length;
    const turn = turns[Math.min(said, turns.length - 1)] ?? {};
    return typeof turn === 'function' ? turn(request) : turn;
  };
}

/** A call of `task`. */
export function delegate(
  agent: string,
  ids: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): { name: string; arguments: Record<string, unknown> } {
  const tasks = ids.map((id) => ({ id, description: id, assignment: `Do ${id}.` }));
  return { name: 'task', arguments: { agent, tasks, ...more } };
}

/** An answer that hands a result over. */
export const yields = (result: unknown): Answer => ({ calls: [{ name: 'yield', arguments: { result } }] });

/** What may differ. */
export interface SubagentWorldOptions extends WorldOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly ui?: Partial<UserInterface>;
  readonly inMemory?: boolean;
  readonly subagents?: Readonly<Record<string, unknown>>;
}

/** An agent on a new session that has the tool `task`. */
export async function subagentWorld(cast: Cast, options: SubagentWorldOptions = {}) {
  const { files = {}, ui, inMemory = false, subagents = {}, settings, plugins = [], services = [], ...rest } = options;
  const home = temporaryFolder('subagents');
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  const world = await createWorld({
    home,
    cwd,
    ...rest,
    script: [answerBy(cast)],
    settings: { ...settings, subagents },
    services: [...(ui ? [[userInterface, { ...SILENT, ...ui }] as const] : []), ...services],
    plugins: [
      'jobs',
      'discovery',
      'trust',
      'planning-tools',
      'file-tools',
      'search-tools',
      'approval',
      'subagents',
      ...plugins,
    ],
  });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(world.cwd, name)), { recursive: true });
    writeFileSync(join(world.cwd, name), text);
  }
  const store = await world.kernel.find(sessionStore);
  const session = inMemory ? store.inMemory({ cwd: world.cwd }) : await store.create({ cwd: world.cwd });
  const { agent } = await (
    await world.kernel.find(agentFactory)
  ).create({
    session,
    cwd: world.cwd,
    tools: ['read', 'write', 'find', 'search', 'job', 'ask', 'todo_write', 'task'],
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return { ...world, agent, session, events, ...viewsOf(agent, events) };
}

function viewsOf(agent: AgentSession, events: readonly AgentEvent[]) {
  /** The text and details of the results of a tool so far. */
  const results = (name = 'task') =>
    agent.session.context().messages.flatMap((message) => {
      if (message.role !== 'toolResult' || message.toolName !== name) return [];
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return [{ text, details: message.details as Record<string, unknown>, isError: message.isError }];
    });
  const updates = () =>
    events.flatMap((event) => (event.type === 'tool_execution_update' ? [event.partialResult] : []));
  return { results, updates };
}
