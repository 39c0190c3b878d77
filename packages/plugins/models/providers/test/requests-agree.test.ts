/** The same conversations go out through Tenon's own writing of a protocol and through the SDK's: the wire must carry the same. */
import type { AssistantMessage, Model, ModelMessage, ModelRequest, Provider } from '@tenon/models/api';
import { NO_USAGE, THINKING_LEVELS } from '@tenon/models/api';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { refusalsOf } from '../src/claude.ts';
import { providerOf } from './harness.ts';
import { DIRECT, type DirectName, oracleOf } from './oracle/index.ts';
import { startReplay } from './replay-server.ts';

let server: Awaited<ReturnType<typeof startReplay>>;
beforeAll(async () => void (server = await startReplay(() => ({ pieces: [] }))));
afterAll(() => server.close());
afterEach(() => vi.unstubAllEnvs());

const ours = Object.fromEntries(DIRECT.map((protocol) => [protocol, providerOf(protocol)]));
const sdk = Object.fromEntries(DIRECT.map((protocol) => [protocol, oracleOf(protocol, { mends: false })]));

/** What both may send in their own way. */
const INCIDENTAL = new Set([
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
  'connection',
  'host',
  'content-length',
]);

async function sent(provider: Provider | undefined, request: ModelRequest) {
  server.arrivals.length = 0;
  for await (const _ of provider?.stream(request, { signal: new AbortController().signal }) ?? []);
  const [arrival] = server.arrivals;
  if (!arrival) throw new Error('nothing was sent');
  const headers = Object.entries(arrival.headers).filter(([name]) => !INCIDENTAL.has(name));
  const { 'anthropic-beta': betas = '', ...rest } = Object.fromEntries(headers);
  return {
    url: arrival.url,
    headers: rest,
    betas: String(betas).split(',').sort(),
    body: JSON.parse(arrival.body) as Record<string, unknown>,
  };
}

const IDS: Readonly<Record<DirectName, readonly string[]>> = {
  'openai-completions': ['some-model', 'gpt-5.1', 'o3', 'deepseek-chat'],
  'openai-responses': [
    'gpt-4.1',
    'gpt-4o',
    'gpt-5',
    'gpt-5-nano',
    'gpt-5-chat-latest',
    'gpt-5.1',
    'gpt-5.1-codex-max',
    'gpt-5.2',
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-6-astra',
    'gpt-6.1-terra',
    'gpt-7',
    'o1',
    'o3',
    'o4-mini',
    'grok-4',
    'openai/gpt-5',
  ],
  'anthropic-messages': [
    'claude-2.1',
    'claude-instant-1.2',
    'claude-3-haiku-20240307',
    'claude-3-5-sonnet-latest',
    'claude-sonnet-4-20250514',
    'claude-opus-4-20250514',
    'claude-opus-4-1',
    'claude-sonnet-4-5',
    'claude-haiku-4-5',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-opus-4-7',
    'claude-opus-4-8',
    'claude-sonnet-5',
    'claude-opus-5',
    'claude-fable-5',
    'claude-fable-5-1',
    'claude-mythos-5',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-opus-6',
    'MiniMax-M2',
    'kimi-k3',
  ],
};

const words = fc.oneof(
  fc.constantFrom('', ' ', 'Hello', 'line\nline', 'Grüße 東京 🎌 ', '"quoted" \\'),
  fc.string({ maxLength: 30 }),
);
const image = fc
  .constantFrom('image/png', 'image/jpeg')
  .map((mimeType) => ({ type: 'image' as const, data: 'iVBORw0KGgo=', mimeType }));
const text = words.map((value) => ({ type: 'text' as const, text: value }));
const ID = fc.constantFrom('call_1', 'call_2', 'call|with:odd/id', 'x'.repeat(80));
const signature = fc.constantFrom(
  'c2lnbmVk',
  '{"type":"reasoning","id":"rs_1","encrypted_content":"sealed","summary":[]}',
  '{"type":"reasoning","encrypted_content":"sealed"}',
  '{"type":"reasoning","id":"rs_2"}',
  '{broken',
);
const block: fc.Arbitrary<AssistantMessage['content'][number]> = fc.oneof(
  fc.record(
    { type: fc.constant('text' as const), text: words, textSignature: fc.constantFrom('msg_1', 'msg_2') },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record(
    {
      type: fc.constant('thinking' as const),
      thinking: words,
      thinkingSignature: signature,
      redacted: fc.constant(true),
    },
    { requiredKeys: ['type', 'thinking'] },
  ),
  fc.record(
    {
      type: fc.constant('toolCall' as const),
      id: ID,
      name: fc.constantFrom('write', 'read'),
      arguments: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
      thoughtSignature: fc.constant('c2lnbmVk'),
    },
    { requiredKeys: ['type', 'id', 'name', 'arguments'] },
  ),
);

/** A conversation that this model and others have led, with answers that broke off and results that nobody waits for. */
function conversation(model: Model): fc.Arbitrary<ModelMessage[]> {
  const who = fc.constantFrom(
    { api: model.api, provider: model.provider, model: model.id },
    { api: 'other', provider: 'other', model: 'other' },
  );
  const assistant = fc
    .tuple(
      fc.array(block, { maxLength: 5 }),
      who,
      fc.constantFrom('stop' as const, 'toolUse' as const, 'toolUse' as const, 'error' as const, 'aborted' as const),
    )
    .map(([content, from, stopReason]) => ({
      role: 'assistant' as const,
      content,
      ...from,
      usage: NO_USAGE,
      stopReason,
      timestamp: 1,
    }));
  const user = fc
    .oneof(words, fc.array(fc.oneof(text, image), { maxLength: 3 }))
    .map((content) => ({ role: 'user' as const, content, timestamp: 1 }));
  const result = fc
    .tuple(ID, fc.array(fc.oneof(text, image), { maxLength: 3 }), fc.boolean())
    .map(([toolCallId, content, isError]) => ({
      role: 'toolResult' as const,
      toolCallId,
      toolName: 'write',
      content,
      isError,
      timestamp: 1,
    }));
  return fc
    .array(fc.oneof(user, assistant, result, result), { maxLength: 8 })
    .map((messages) => [{ role: 'user' as const, content: 'Begin.', timestamp: 1 }, ...messages]);
}

const QUIRKS: Readonly<Record<DirectName, fc.Arbitrary<Record<string, unknown>>>> = {
  'openai-completions': fc.record(
    {
      thinking: fc.constantFrom('effort', 'switch', 'enable', 'template', 'reasoning', 'none'),
      keepThinking: fc.boolean(),
      maxTokensField: fc.constantFrom('', 'max_completion_tokens'),
      shortToolIds: fc.boolean(),
      promptCacheKey: fc.boolean(),
      serviceTier: fc.boolean(),
      noStore: fc.boolean(),
      noUsage: fc.boolean(),
      callHeaders: fc.constant('copilot'),
    },
    { requiredKeys: [] },
  ),
  'openai-responses': fc.record(
    { codex: fc.boolean(), azure: fc.boolean(), callHeaders: fc.constantFrom('codex', 'copilot') },
    { requiredKeys: [] },
  ),
  'anthropic-messages': fc.record({ bearer: fc.boolean(), adaptiveThinking: fc.boolean() }, { requiredKeys: [] }),
};
const TOOLS = ['write', 'read'].map((name) => ({
  name,
  description: `Can ${name}`,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}));

function requests(protocol: DirectName): fc.Arbitrary<ModelRequest> {
  const models = fc.record({
    id: fc.constantFrom(...IDS[protocol]),
    quirks: QUIRKS[protocol],
    reasoning: fc.boolean(),
    sees: fc.boolean(),
  });
  return models.chain(({ id, quirks, reasoning, sees }) => {
    const model: Model = {
      provider: 'test',
      id,
      name: id,
      api: protocol,
      baseUrl: `${server.url}/v1`,
      contextWindow: 200_000,
      maxTokens: 100_000,
      input: sees ? ['text', 'image'] : ['text'],
      reasoning,
      quirks,
      headers: { 'x-of-model': 'a', ...(protocol === 'anthropic-messages' && { 'anthropic-beta': 'One, two' }) },
    };
    return fc.record(
      {
        model: fc.constant(model),
        systemPrompt: fc.constantFrom('', 'You are a test.'),
        messages: conversation(model),
        tools: fc.constantFrom([], TOOLS),
        apiKey: fc.constantFrom('key', 'sk-ant-oat-login'),
        toolChoice: fc.constantFrom('auto' as const, 'none' as const, 'required' as const, { name: 'read' }),
        thinking: fc.constantFrom(...THINKING_LEVELS),
        maxTokens: fc.integer({ min: 16, max: 150_000 }),
        temperature: fc.constantFrom(0, 0.5, 1, 1.7),
        serviceTier: fc.constantFrom(null, 'fast', 'flex', 'priority', 'default', 'unknown'),
        sessionId: fc.constantFrom('session-1', 's'.repeat(70)),
        cache: fc.constantFrom('none' as const, 'short' as const, 'long' as const),
        headers: fc.constant({ 'x-of-request': 'b' }),
      },
      { requiredKeys: ['model', 'systemPrompt', 'messages', 'tools', 'apiKey'] },
    );
  });
}

describe.each(DIRECT)('a request over %s', (protocol) => {
  it('is what the SDK would send, whoever wrote the conversation and whatever is asked for', async () => {
    vi.stubEnv('AZURE_OPENAI_API_VERSION', '2026-01-01');
    vi.stubEnv('AZURE_OPENAI_DEPLOYMENT_NAME_MAP', 'gpt-5=my-deployment');
    await fc.assert(
      fc.asyncProperty(
        fc.constant(undefined).chain(() => requests(protocol)),
        async (request) => {
          const [found, expected] = [await sent(ours[protocol], request), await sent(sdk[protocol], request)];
          // The SDK drops a budget that a model does not take, but not from the limit that the oracle gave it.
          const isDropped = request.model.quirks?.['adaptiveThinking'] === false && refusalsOf(request.model.id).budget;
          if (isDropped) expected.body['max_tokens'] = found.body['max_tokens'];
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: caseCount(150) },
    );
  });
});
