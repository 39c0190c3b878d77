import { agentFactory } from '@tenon/agent/api';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import { tool } from '@tenon/test-kit/kernel';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import type { ToolResult } from '@tenon/tools/api';
import { memory } from '../src/api.ts';

export const said = ({ content }: ToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
export const call = (name: string, args: Record<string, unknown>) => ({ calls: [{ name, arguments: args }] });
export const retain = (...facts: string[]) => call('retain', { items: facts.map((content) => ({ content })) });

/** A real agent with memory, and a page that it can read. */
export async function start(
  options: WorldOptions & { page?: string; memorySettings?: Record<string, unknown>; secrets?: boolean } = {},
) {
  const { page = 'A page.', memorySettings = {}, secrets = false, ...rest } = options;
  const world = await createWorld({
    home: temporaryFolder('memory'),
    ...rest,
    settings: { memory: memorySettings },
    plugins: ['command-line', ...(secrets ? ['doctor', 'secrets'] : []), 'memory', ...(rest.plugins ?? [])],
    tools: { page: tool(() => Promise.resolve({ content: [{ type: 'text', text: page }] })) },
  });
  const store = await world.kernel.find(sessionStore);
  const factory = await world.kernel.find(agentFactory);
  const agentIn = async (cwd = world.cwd, parent?: string) => {
    const session = await store.create({ cwd });
    const { agent } = await factory.create({
      session,
      cwd,
      tools: ['retain', 'recall', 'reflect', 'page'],
      ...(parent !== undefined && { parent: { session: parent, label: 'child' } }),
    });
    const results: ToolResult[] = [];
    agent.subscribe((event) => void (event.type === 'tool_execution_end' && results.push(event.result)));
    return { agent, session, results };
  };
  const service = await world.kernel.find(memory);
  const facts = (cwd = world.cwd) => service.list(cwd);
  return { ...world, agentIn, service, facts };
}
