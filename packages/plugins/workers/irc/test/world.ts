import { agentFactory, type AgentSession } from '@tenon/agent/api';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import type { Answer, Request } from '@tenon/test-kit/scripted-models';
import { type ToolResult, toolRunner } from '@tenon/tools/api';

export const said = ({ content }: ToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

/** What the model was asked last. */
export const lastOf = ({ messages }: Request): string => JSON.stringify(messages.at(-1));

/** Agents of one process. What they say is made of what they are asked. */
export async function start(
  answer: (request: Request) => Answer,
  { ircSettings = {}, ...options }: WorldOptions & { ircSettings?: Record<string, unknown> } = {},
) {
  const world = await createWorld({
    ...options,
    script: [answer],
    plugins: ['irc', ...(options.plugins ?? [])],
    settings: { irc: ircSettings },
  });
  const store = await world.kernel.find(sessionStore);
  const factory = await world.kernel.find(agentFactory);
  const runner = await world.kernel.find(toolRunner);
  const agentNamed = async (name: string, parent?: AgentSession) => {
    const session = await store.create({ cwd: world.cwd });
    await session.setTitle(name, 'user');
    const more = parent ? { parent: { session: parent.session.id, label: name } } : {};
    const { agent } = await factory.create({ session, cwd: world.cwd, tools: ['irc'], ...more });
    return agent;
  };
  /** Calls the tool as an agent would. */
  const irc = (agent: AgentSession | undefined, input: Record<string, unknown>, signal?: AbortSignal) =>
    runner.run('irc', input, {
      ...(agent && { scope: { session: agent.session.id, cwd: agent.cwd } }),
      ...(signal && { signal }),
    });
  return { ...world, agentNamed, irc };
}
