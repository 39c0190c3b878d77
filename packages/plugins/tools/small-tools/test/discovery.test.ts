import { agentFactory } from '@tenon/agent/api';
import { sessionStore } from '@tenon/sessions/api';
import { expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';

it('a model finds a tool, uses it in the next turn, and has it again when the session goes on', async () => {
  const world = await createWorld({
    plugins: ['small-tools'],
    script: [
      { calls: [{ name: 'calc', arguments: { calculations: [{ expression: '1' }] } }] },
      { calls: [{ name: 'search_tool_bm25', arguments: { query: 'arithmetic', limit: '1' } }] },
      { calls: [{ name: 'calc', arguments: { calculations: '[{"expression": "6 * 7"}]' } }] },
      { text: 'It is 42.' },
    ],
  });
  try {
    const [store, factory] = [await world.kernel.find(sessionStore), await world.kernel.find(agentFactory)];
    const session = await store.create({ cwd: world.cwd });
    const { agent } = await factory.create({ session, cwd: world.cwd });
    const results: string[] = [];
    agent.subscribe((event) => {
      if (event.type === 'tool_execution_end') results.push(JSON.stringify(event.result.content));
    });
    await agent.prompt('What is 6 * 7?');
    const offered = world.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toEqual([
      ['search_tool_bm25'],
      ['search_tool_bm25'],
      ['search_tool_bm25', 'calc'],
      ['search_tool_bm25', 'calc'],
    ]);
    expect(results[0]).toContain('Find it with search_tool_bm25');
    expect(results[2]).toContain('42');
    expect(results[2]).toContain('The input was repaired');
    await agent.dispose();
    const again = await factory.create({ session: await store.open(session.id), cwd: world.cwd });
    expect(again.agent.state.tools.map(({ name }) => name)).toEqual(['search_tool_bm25', 'calc']);
  } finally {
    await world.remove();
  }
});
