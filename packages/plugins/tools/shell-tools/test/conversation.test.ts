import { builtIn } from '@tenon/test-kit/plugins';
import type { AgentSession } from '@tenon/agent/api';
import { describe, expect, it } from 'vitest';
import { said, world } from '@tenon/test-kit/conversation-world';

type AgentMessage = ReturnType<AgentSession['session']['context']>['messages'][number];

const bash = (command: string, more: object = {}) => ({ name: 'bash', arguments: { command, ...more } });

async function talk(
  answers: Parameters<typeof world>[0],
  tools: Parameters<typeof world>[1] = {},
  { more = [], ...options }: { more?: string[]; inMemory?: boolean } = {},
) {
  const plugins = ['shell-tools', 'jobs', 'urls', ...more].map((name) => builtIn(name));
  return world(answers, tools, await Promise.all(plugins), options);
}

const texts = (messages: readonly AgentMessage[], role: AgentMessage['role']) =>
  messages.flatMap((message) => {
    if (message.role !== role || !('content' in message)) return [];
    const { content } = message;
    return typeof content === 'string'
      ? [content]
      : [content.map((part) => ('text' in part ? part.text : '')).join('')];
  });

describe('in a conversation', () => {
  it('a job that ends wakes the agent, which sees the result once', async () => {
    const { agent, session, kernel, requests } = await talk([
      { calls: [bash('echo begun; sleep 0.4; echo built', { async: true })] },
      { text: 'I wait' },
      { text: 'It is built' },
    ]);
    await agent.prompt('build');
    await expect.poll(() => texts(session.context().messages, 'custom')).toHaveLength(1);
    await agent.idle();
    const { messages } = session.context();
    expect(texts(messages, 'custom')[0]).toMatch(/^Background job bash-1 \(echo begun.*\) has ended:\nbegun\nbuilt$/);
    expect(texts(messages, 'assistant').at(-1)).toBe('It is built');
    expect(requests).toHaveLength(3);
    await kernel.dispose();
  });

  it.each([
    { inMemory: false, more: [] },
    { inMemory: false, more: ['sandbox'] },
    { inMemory: true, more: ['sandbox'] },
  ])('an artifact of the session can be named in a command ($inMemory, $more)', async (options) => {
    const { agent, session, kernel } = await talk(
      [
        { calls: [bash('word=kept')] },
        { calls: [bash('seq 100000', { tail: 1 })] },
        { calls: [bash('wc -l < artifact://0; echo "$word"')] },
        { text: 'ok' },
      ],
      {},
      options,
    );
    await agent.prompt('count');
    expect(texts(session.context().messages, 'toolResult')[2]).toBe('100000\nkept');
    await kernel.dispose();
  });

  it('a command is pointed at a better tool only if this agent has it', async () => {
    const { agent, session, kernel } = await talk(
      [{ calls: [bash('cat a.txt')] }, { text: 'ok' }, { calls: [bash('cat a.txt')] }, { text: 'ok' }],
      { read: async () => said('content') },
    );
    await agent.prompt('read it');
    await agent.setTools(['bash']);
    await agent.prompt('again');
    const results = texts(session.context().messages, 'toolResult');
    expect(results[0]).toMatch(/^Blocked: `read` shows files/);
    expect(results[1]).toMatch(/No such file or directory/);
    await kernel.dispose();
  });
});
