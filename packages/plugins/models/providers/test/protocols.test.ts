import { type AnswerPart, type FakeModels, type Protocol, PROTOCOLS, startFakeModels } from '@tenon/model-fakes';
import type { AssistantMessage, ModelMessage, StreamEvent } from '@tenon/models/api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collect, modelOf, providerOf, requestOf } from './harness.ts';

let fake: FakeModels;
beforeAll(async () => void (fake = await startFakeModels()));
afterAll(() => fake.close());
beforeEach(() => {
  fake.requests.length = 0;
  fake.otherwise(undefined);
});

const THINKING: AnswerPart = { type: 'thinking', thinking: 'Let me think about größe.', signature: 'c2lnbmF0dXJl' };
const CALL: AnswerPart = {
  type: 'toolCall',
  id: 'call_1',
  name: 'write',
  arguments: { path: 'ä/世界.txt', content: 'line\n"quoted" 🎉', nested: { list: [1, 2.5, null, true] } },
};
const usage = { input: 100, output: 50, cacheRead: 30, cacheWrite: 20, reasoning: 10 };

const texts = (events: readonly StreamEvent[], type: string) =>
  events.filter((event) => event.type === type).map((event) => ('delta' in event ? event.delta : ''));

describe.each(PROTOCOLS)('%s', (protocol: Protocol) => {
  const run = (more: Parameters<typeof requestOf>[1] = {}, signal?: AbortSignal) =>
    collect(providerOf(protocol), requestOf(modelOf(protocol, fake), more), signal);

  it('streams text in deltas that add up to the answer, however the bytes are split', async () => {
    const text = 'Grüße aus 東京 🎌 — with "quotes", \\backslashes\\ and\nlines. '.repeat(5);
    for (const writeSize of [1, 3, 7, undefined]) {
      fake.reply({ content: [{ type: 'text', text }], ...(writeSize && { writeSize }), usage });
      const { events, message, last } = await run();
      expect(last.type).toBe('done');
      expect(events[0]?.type).toBe('start');
      expect(message.content).toMatchObject([{ type: 'text', text }]);
      expect(texts(events, 'text_delta').join('')).toBe(text);
      expect(texts(events, 'text_delta').length).toBeGreaterThan(5);
      expect(events.filter(({ type }) => type === 'text_start' || type === 'text_end')).toHaveLength(2);
    }
  });

  it('reports tokens of each kind and what they cost', async () => {
    fake.reply({ content: [{ type: 'text', text: 'Hi' }], usage });
    const { message } = await run();
    const writes = protocol === 'anthropic-messages' || protocol === 'bedrock-converse-stream' ? 20 : 0;
    expect(message.usage).toMatchObject({ input: 100, output: 50, cacheRead: 30, cacheWrite: writes });
    expect(message.usage.totalTokens).toBe(180 + writes);
    expect(message.usage.cost.total).toBeCloseTo((100 * 1 + 50 * 10 + 30 * 0.1 + writes * 2) / 1e6, 12);
    if (!['anthropic-messages', 'bedrock-converse-stream'].includes(protocol)) expect(message.usage.reasoning).toBe(10);
  });

  it('gives the arguments of a tool call at every delta and as a whole at the end', async () => {
    fake.reply({ content: [{ type: 'text', text: 'I will write.' }, CALL], deltaSize: 4, writeSize: 11 });
    const { events, message, last } = await run();
    expect(last).toMatchObject({ type: 'done', reason: 'toolUse' });
    const call = message.content.find((block) => block.type === 'toolCall');
    expect(call).toMatchObject({ name: 'write', arguments: CALL.type === 'toolCall' ? CALL.arguments : {} });
    expect(texts(events, 'toolcall_delta').join('')).toBe(JSON.stringify(CALL.type === 'toolCall' && CALL.arguments));
    const ends = events.filter((event) => event.type === 'toolcall_end');
    expect(ends).toHaveLength(1);
    expect(message.stopReason).toBe('toolUse');
    if (protocol !== 'google-generative-ai') expect(texts(events, 'toolcall_delta').length).toBeGreaterThan(10);
  });

  it('keeps several tool calls of one answer apart', async () => {
    const calls = ['a', 'b', 'c'].map((path) => ({
      type: 'toolCall' as const,
      id: `call_${path}`,
      name: 'write',
      arguments: { path },
    }));
    fake.reply({ content: calls });
    const { message } = await run();
    expect(message.content.map((block) => (block.type === 'toolCall' ? block.arguments['path'] : ''))).toEqual([
      'a',
      'b',
      'c',
    ]);
    const ids = message.content.map((block) => (block.type === 'toolCall' ? block.id : ''));
    expect(new Set(ids).size).toBe(3);
  });

  it('takes a call without arguments as an empty object', async () => {
    fake.reply({ content: [{ type: 'toolCall', id: 'call_1', name: 'write', arguments: {} }] });
    const { message, last } = await run();
    expect(last.type).toBe('done');
    expect(message.content).toMatchObject([{ type: 'toolCall', arguments: {} }]);
  });

  it('sends thoughts, calls and results back in the next turn as the protocol wants them', async () => {
    fake.reply(
      { content: [THINKING, { type: 'text', text: 'Writing.' }, CALL] },
      { content: [{ type: 'text', text: 'Done.' }] },
    );
    const first = await run({ thinking: 'high' });
    const thinking = first.message.content.find((block) => block.type === 'thinking');
    expect(thinking).toMatchObject({ thinking: 'Let me think about größe.' });
    const call = first.message.content.find((block) => block.type === 'toolCall');
    if (call?.type !== 'toolCall') throw new Error('no call');
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Hello', timestamp: 1 },
      first.message,
      {
        role: 'toolResult',
        toolCallId: call.id,
        toolName: 'write',
        content: [
          { type: 'text', text: 'written' },
          { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        ],
        isError: false,
        timestamp: 3,
      },
    ];
    const second = await run({ thinking: 'high', messages });
    expect(second.last.type).toBe('done');
    const body = JSON.stringify(fake.requests[1]?.body);
    expect(body).toContain('written');
    expect(body).toContain('iVBORw0KGgo=');
    expect(body).toContain('世界');
    if (protocol !== 'openai-completions' && protocol !== 'google-generative-ai')
      expect(body).toContain('c2lnbmF0dXJl');
  });

  it('forces, forbids and leaves open the choice of a tool', async () => {
    const choices = ['required', 'none', { name: 'write' }] as const;
    for (const toolChoice of choices) {
      fake.reply({ content: [{ type: 'text', text: 'ok' }] });
      await run({ toolChoice, thinking: 'high' });
    }
    const [required, , named] = fake.requests.map(({ body }) =>
      JSON.stringify(body['tool_choice'] ?? body['toolConfig'] ?? body['toolConfig']),
    );
    expect(required).toMatch(/any|required|ANY/);
    expect(named).toContain('write');
  });

  it('maps the stop reasons', async () => {
    fake.reply({ content: [{ type: 'text', text: 'half' }], stopReason: 'length' });
    expect((await run()).last).toMatchObject({ type: 'done', reason: 'length' });
    fake.reply({ content: [{ type: 'text', text: 'no' }], stopReason: 'refused' });
    const refused = await run();
    expect(refused.last).toMatchObject({ type: 'error', reason: 'error', failure: { kind: 'refused' } });
    expect(refused.message.stopReason).toBe('error');
  });

  it('does not pass on a call whose arguments were cut off', async () => {
    if (protocol === 'google-generative-ai') return; // Sends calls as objects, never as text.
    const broken = {
      type: 'toolCall' as const,
      id: 'call_1',
      name: 'write',
      arguments: {},
      rawArguments: '{"path": "/etc/pas',
    };
    fake.reply({ content: [broken], stopReason: 'length' });
    const cut = await run();
    expect(cut.last).toMatchObject({ type: 'error', failure: { kind: 'bad-request' } });
    expect(cut.message.errorMessage).toMatch(/limit of tokens inside a tool call/);
    fake.reply({ content: [broken] });
    expect((await run()).last).toMatchObject({ type: 'error', failure: { kind: 'server' } });
  });

  it('keeps the conversation valid when another model, a failure or an interruption left its traces', async () => {
    const foreign = (more: Partial<AssistantMessage>): AssistantMessage => ({
      role: 'assistant',
      content: [],
      api: 'other',
      provider: 'other',
      model: 'other',
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason: 'toolUse',
      timestamp: 1,
      ...more,
    });
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Hello', timestamp: 1 },
      foreign({
        content: [
          { type: 'thinking', thinking: 'foreign thought', thinkingSignature: 'foreign' },
          { type: 'toolCall', id: 'call|with:odd/id', name: 'write', arguments: { path: 'a' } },
          { type: 'toolCall', id: 'never-answered', name: 'write', arguments: { path: 'b' } },
        ],
      }),
      {
        role: 'toolResult',
        toolCallId: 'call|with:odd/id',
        toolName: 'write',
        content: [{ type: 'text', text: 'ok' }],
        isError: false,
        timestamp: 2,
      },
      {
        role: 'toolResult',
        toolCallId: 'orphan',
        toolName: 'write',
        content: [{ type: 'text', text: 'orphan result' }],
        isError: false,
        timestamp: 2,
      },
      foreign({
        stopReason: 'aborted',
        content: [
          { type: 'text', text: 'half an answer' },
          { type: 'toolCall', id: 'cut', name: 'write', arguments: {} },
        ],
      }),
      { role: 'user', content: 'Go on', timestamp: 4 },
    ];
    fake.reply({ content: [{ type: 'text', text: 'ok' }] });
    expect((await run({ messages })).last.type).toBe('done');
    const body = JSON.stringify(fake.requests[0]?.body);
    expect(body).not.toContain('foreign');
    expect(body).not.toContain('orphan result');
    expect(body).not.toContain('"cut"');
    expect(body).not.toContain('odd/id');
    expect(body).toContain('the call was interrupted');
    expect(body).toContain('half an answer');
  });

  it('tells a model without eyes that an image was there', async () => {
    fake.reply({ content: [{ type: 'text', text: 'ok' }] });
    const messages: ModelMessage[] = [
      { role: 'user', content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }], timestamp: 1 },
    ];
    await collect(providerOf(protocol), requestOf(modelOf(protocol, fake, { input: ['text'] }), { messages }));
    const body = JSON.stringify(fake.requests[0]?.body);
    expect(body).toContain('takes no images');
    expect(body).not.toContain('aGVsbG8=');
  });
});

describe('what each protocol is asked', () => {
  const bodyOf = async (protocol: Protocol, more: Parameters<typeof requestOf>[1], model = {}) => {
    fake.reply({ content: [{ type: 'text', text: 'ok' }] });
    await collect(providerOf(protocol), requestOf(modelOf(protocol, fake, model), more));
    return fake.requests.at(-1)?.body as Record<string, any>;
  };

  it('marks the system prompt and the last two turns of the user for Anthropic to cache', async () => {
    const body = await bodyOf('anthropic-messages', { cache: 'long' });
    expect(body['system'][0].cache_control).toEqual({ type: 'ephemeral', ttl: '1h' });
    expect(body['messages'][0].content[0].cache_control).toEqual({ type: 'ephemeral', ttl: '1h' });
    expect(JSON.stringify(await bodyOf('anthropic-messages', { cache: 'none' }))).not.toContain('cache_control');
  });

  it('gives older Claude models a budget to think and newer ones an effort', async () => {
    const older = await bodyOf('anthropic-messages', { thinking: 'medium' });
    expect(older['thinking']).toMatchObject({ type: 'enabled', budget_tokens: 10_240 });
    const newer = await bodyOf('anthropic-messages', { thinking: 'high' }, { id: 'claude-opus-4-6' });
    expect(newer['thinking']).toMatchObject({ type: 'adaptive' });
    expect(newer['output_config']).toMatchObject({ effort: 'high' });
    expect(
      (await bodyOf('anthropic-messages', { thinking: 'high', toolChoice: 'required' }))['thinking'],
    ).toBeUndefined();
  });

  it('keeps nothing at OpenAI and routes by session', async () => {
    const body = await bodyOf('openai-responses', { thinking: 'xhigh', serviceTier: 'priority', cache: 'long' });
    expect(body).toMatchObject({
      store: false,
      prompt_cache_key: 'session-1',
      prompt_cache_retention: '24h',
      service_tier: 'priority',
      reasoning: { effort: 'xhigh', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    });
    const gpt5 = await bodyOf('openai-responses', { thinking: 'off' }, { id: 'gpt-5' });
    expect(gpt5['reasoning']).toMatchObject({ effort: 'minimal' });
  });

  it('follows the quirks of compatible endpoints', async () => {
    const quirks = {
      maxTokensField: 'max_completion_tokens',
      thinking: 'enable',
      promptCacheKey: true,
      shortToolIds: true,
    };
    const body = await bodyOf('openai-completions', { thinking: 'low', maxTokens: 77 }, { quirks });
    expect(body).toMatchObject({
      max_completion_tokens: 77,
      enable_thinking: true,
      prompt_cache_key: 'session-1',
      stream_options: { include_usage: true },
    });
    expect(body['max_tokens']).toBeUndefined();
    expect(fake.requests.at(-1)?.headers['authorization']).toBe('Bearer test-key');
  });

  it('keeps what two calls of one model ask for apart, although both use the same model of the SDK', async () => {
    const provider = providerOf('openai-completions');
    const model = modelOf('openai-completions', fake, { quirks: { maxTokensField: 'limit', serviceTier: true } });
    const ask = (maxTokens: number, serviceTier: 'fast' | 'priority') => {
      fake.reply({ content: [{ type: 'text', text: 'ok' }] });
      return collect(provider, requestOf(model, { maxTokens, serviceTier, thinking: 'off' }));
    };
    const from = fake.requests.length;
    await Promise.all([ask(11, 'fast'), ask(22, 'priority')]);
    const bodies = fake.requests.slice(from).map(({ body }) => body as Record<string, unknown>);
    const asked = bodies.map(({ limit, service_tier }) => [limit, service_tier]);
    expect(asked.sort()).toEqual([
      [11, 'fast'],
      [22, 'priority'],
    ]);
    expect(JSON.stringify(bodies)).not.toContain('tenonExtras');
  });

  it('uses another key and other headers as soon as they change', async () => {
    const provider = providerOf('openai-completions');
    const model = modelOf('openai-completions', fake);
    for (const [apiKey, trace] of [
      ['one', 'a'],
      ['two', 'a'],
      ['two', 'b'],
      ['one', 'a'],
    ] as const) {
      fake.reply({ content: [{ type: 'text', text: 'ok' }] });
      await collect(provider, requestOf(model, { apiKey, headers: { 'x-trace': trace } }));
      expect(fake.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${apiKey}`, 'x-trace': trace });
    }
  });

  it('gives Gemini 3 a level and Gemini 2.5 a budget', async () => {
    const three = await bodyOf('google-generative-ai', { thinking: 'low' });
    expect(three['generationConfig'].thinkingConfig).toMatchObject({ thinkingLevel: 'low', includeThoughts: true });
    const two = await bodyOf('google-generative-ai', { thinking: 'off' }, { id: 'gemini-2.5-flash' });
    expect(two['generationConfig'].thinkingConfig).toMatchObject({ thinkingBudget: 0 });
  });

  it('keeps the signatures that Gemini puts on calls', async () => {
    fake.reply({
      content: [{ type: 'toolCall', id: 'x', name: 'write', arguments: { path: 'a' }, signature: 'gemini-signature' }],
    });
    const model = modelOf('google-generative-ai', fake);
    const { message } = await collect(providerOf('google-generative-ai'), requestOf(model));
    const [call] = message.content;
    expect(call).toMatchObject({ thoughtSignature: 'gemini-signature' });
    if (call?.type !== 'toolCall') throw new Error('no call');
    fake.reply({ content: [{ type: 'text', text: 'ok' }] });
    const result = {
      role: 'toolResult' as const,
      toolCallId: call.id,
      toolName: 'write',
      content: [{ type: 'text' as const, text: 'ok' }],
      isError: false,
      timestamp: 2,
    };
    await collect(
      providerOf('google-generative-ai'),
      requestOf(model, { messages: [{ role: 'user', content: 'x', timestamp: 1 }, message, result] }),
    );
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('gemini-signature');
  });

  it('sets Bedrock cache points and sends the bearer token', async () => {
    const body = await bodyOf('bedrock-converse-stream', { thinking: 'low' });
    expect(JSON.stringify(body)).toContain('"cachePoint":{"type":"default"}');
    expect(fake.requests.at(-1)?.headers['authorization']).toBe('Bearer test-key');
    expect(JSON.stringify(body['additionalModelRequestFields'])).toContain('"budget_tokens":4096');
  });

  it('keeps redacted thoughts of Anthropic and gives them back', async () => {
    fake.reply({
      content: [
        { type: 'thinking', thinking: '', redacted: true, signature: 'opaque-data' },
        { type: 'text', text: 'hm' },
      ],
    });
    const model = modelOf('anthropic-messages', fake);
    const { message } = await collect(providerOf('anthropic-messages'), requestOf(model, { thinking: 'low' }));
    expect(message.content[0]).toMatchObject({ type: 'thinking', redacted: true, thinkingSignature: 'opaque-data' });
    fake.reply({ content: [{ type: 'text', text: 'ok' }] });
    await collect(
      providerOf('anthropic-messages'),
      requestOf(model, {
        thinking: 'low',
        messages: [{ role: 'user', content: 'x', timestamp: 1 }, message, { role: 'user', content: 'y', timestamp: 2 }],
      }),
    );
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('{"type":"redacted_thinking","data":"opaque-data"}');
  });
});
