/** Rules over the real wire protocols: the provider's connection must really be closed when a rule cuts in. */
import { builtIn } from '@tenon/test-kit/plugins';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentEvent, agentFactory } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { createKernel, type Kernel } from '@tenon/kernel';
import { inlineCandidate, provideServices } from '@tenon/kernel/testing';
import { type FakeModels, type Protocol, startFakeModels } from '@tenon/model-fakes';
import { type Model, modelRegistry, type ModelRequest } from '@tenon/models/api';
import { createProvider } from '@tenon/providers/api';
import { sessionStore } from '@tenon/sessions/api';
import { tools } from '@tenon/tools/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { found } from './support/found.ts';

let fake: FakeModels;
let home: string;
let kernel: Kernel;
beforeEach(async () => {
  fake = await startFakeModels();
  home = mkdtempSync(join(tmpdir(), 'tenon-wire-'));
});
afterEach(async () => {
  await kernel.dispose();
  await fake.close();
  rmSync(home, { recursive: true, force: true });
});

async function start(protocol: Protocol) {
  const model: Model = {
    provider: 'test',
    id: 'm',
    name: 'M',
    api: protocol,
    baseUrl: fake.baseUrl(protocol),
    contextWindow: 100_000,
    maxTokens: 10_000,
    input: ['text'],
    reasoning: true,
  };
  const provider = createProvider(protocol, { stallMs: 10_000 });
  const written: unknown[] = [];
  kernel = createKernel();
  kernel.install(
    provideServices([
      [folders, { config: home, data: home, state: home, cache: home, home, cwd: home }],
      [
        modelRegistry,
        {
          stream: (request: ModelRequest, call: { signal: AbortSignal }) =>
            provider.stream({ ...request, apiKey: 'key' }, call),
          find: async () => ({ model }),
          forRole: async () => ({ model }),
          list: async () => [],
        },
      ],
    ]),
    await builtIn('settings'),
    await builtIn('tools'),
    await builtIn('sessions'),
    await builtIn('agent'),
    await builtIn('urls'),
    await builtIn('rules'),
    ...(await found([
      { name: 'no-any', condition: ['"x" as\\s+any'], scope: ['tool:write(*.ts)', 'thinking', 'text'] },
    ])),
    inlineCandidate(
      {
        id: 'toolkit',
        activate: (ctx) =>
          void ctx.contribute(tools, 'write', {
            description: 'Writes',
            parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
            execute: async (input) => (written.push(input), { content: [{ type: 'text', text: 'ok' }] }),
          }),
      },
      { contributes: { tools: { write: { summary: 'write' } } } },
    ),
  );
  const session = (await kernel.find(sessionStore)).inMemory({ cwd: home });
  const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd: home, tools: ['write'] });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  return { agent, session, events, written };
}

const rest = `\n${'and so on, '.repeat(3000)}`;
const call = (content: string) => ({
  type: 'toolCall' as const,
  id: 'call_1',
  name: 'write',
  arguments: { path: 'src/a.ts', content },
});

describe.each(['anthropic-messages', 'openai-responses', 'openai-completions', 'google-generative-ai'] as const)(
  'over %s',
  (protocol) => {
    it('a rule stops the arguments of a call, hangs up, and the model answers again', async () => {
      const { agent, session, events, written } = await start(protocol);
      fake.reply(
        { content: [call(`const y = "x" as\n  any;${rest}`)], paceMs: 2 },
        { content: [call('const y: string = "x";')] },
        { content: [{ type: 'text', text: 'Done.' }] },
      );
      await agent.prompt('go');
      expect(written).toEqual([{ path: 'src/a.ts', content: 'const y: string = "x";' }]);
      expect(events.filter(({ type }) => type === 'ttsr_triggered')).toEqual([
        { type: 'ttsr_triggered', rules: ['no-any'] },
      ]);
      expect(fake.requests).toHaveLength(3);
      expect(JSON.stringify(fake.requests[1]?.body)).toContain('Text of no-any.');
      expect(JSON.stringify(fake.requests[1]?.body)).not.toContain('and so on');
      // Google sends arguments in one piece: there the answer is over when it can be judged.
      if (protocol !== 'google-generative-ai')
        await vi.waitFor(() => expect(fake.requests[0]?.disconnectedAt).toBeDefined());
      expect(session.context().messages.map(({ role }) => role)).toEqual([
        'user',
        'custom',
        'assistant',
        'toolResult',
        'assistant',
      ]);
    });

    it('a rule stops prose long before its end', async () => {
      const { agent, events } = await start(protocol);
      fake.reply(
        { content: [{ type: 'text', text: `I write "x" as any here.${rest}` }], paceMs: 1 },
        { content: [{ type: 'text', text: 'Better.' }] },
      );
      await agent.prompt('go');
      const streamed = events.flatMap((event) =>
        event.type === 'message_update' && 'delta' in event.assistantMessageEvent
          ? [event.assistantMessageEvent.delta]
          : [],
      );
      expect(streamed.join('').length).toBeLessThan(500);
      await vi.waitFor(() => expect(fake.requests[0]?.disconnectedAt).toBeDefined());
    });
  },
);
