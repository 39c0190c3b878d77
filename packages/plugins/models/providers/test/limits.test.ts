import { type FakeModels, type Protocol, PROTOCOLS, startFakeModels } from '@tenon/model-fakes';
import { type Model, type ModelMessage, type ModelRequest, THINKING_LEVELS } from '@tenon/models/api';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, modelOf, providerOf, requestOf } from './harness.ts';

let fake: FakeModels;
beforeAll(async () => {
  fake = await startFakeModels();
  fake.otherwise({ content: [{ type: 'text', text: 'ok' }] });
});
afterAll(() => fake.close());

const PROVIDERS = Object.fromEntries(PROTOCOLS.map((protocol) => [protocol, providerOf(protocol)]));

/** What the request says on the wire about the length of the answer and of the thoughts in it. */
async function asked(protocol: Protocol, model: Partial<Model>, request: Partial<ModelRequest>) {
  const provider = PROVIDERS[protocol];
  if (!provider) throw new Error(protocol);
  const { last } = await collect(provider, requestOf(modelOf(protocol, fake, model), request));
  expect(last.type).toBe('done');
  const body = fake.requests.at(-1)?.body as Record<string, any>;
  const fields = body['additionalModelRequestFields'] ?? {};
  const limits: Record<Protocol, number> = {
    'anthropic-messages': body['max_tokens'],
    'openai-responses': body['max_output_tokens'],
    'openai-completions': body['max_tokens'],
    'google-generative-ai': body['generationConfig']?.maxOutputTokens,
    'bedrock-converse-stream': body['inferenceConfig']?.maxTokens,
  };
  const budget: number | undefined =
    body['thinking']?.budget_tokens ??
    fields.thinking?.budget_tokens ??
    body['generationConfig']?.thinkingConfig?.thinkingBudget;
  const effort: string | undefined = body['output_config']?.effort ?? fields.output_config?.effort;
  return { limit: limits[protocol], budget, effort };
}

/** Ids that think by budget, by effort, by level, or in no way that the SDK knows. */
const IDS: Readonly<Record<Protocol, readonly string[]>> = {
  'anthropic-messages': [
    'claude-sonnet-4-5',
    'claude-opus-4-1',
    'claude-opus-4-6',
    'claude-opus-5-5',
    'MiniMax-M2',
    'm',
  ],
  'openai-responses': ['gpt-5', 'gpt-5.2', 'o3'],
  'openai-completions': ['some-model'],
  'google-generative-ai': ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-3-pro'],
  'bedrock-converse-stream': [
    'us.anthropic.claude-sonnet-4-5-v1:0',
    'global.anthropic.claude-opus-4-6-v1:0',
    'amazon.nova-pro-v1:0',
  ],
};
const CALLS = fc
  .constantFrom(...PROTOCOLS)
  .chain((protocol) => fc.record({ protocol: fc.constant(protocol), id: fc.constantFrom(...IDS[protocol]) }));

describe('the limit of an answer', () => {
  it('never exceeds that of the model, of the caller or of the window, whatever the level and the protocol', async () => {
    await fc.assert(
      fc.asyncProperty(
        CALLS,
        fc.constantFrom(...THINKING_LEVELS),
        fc.oneof(fc.integer({ min: 16, max: 5000 }), fc.integer({ min: 5000, max: 200_000 })),
        fc.integer({ min: 8000, max: 1_000_000 }),
        fc.option(fc.integer({ min: 16, max: 100_000 }), { nil: undefined }),
        async ({ protocol, id }, thinking, limitOfModel, contextWindow, wished) => {
          // The SDK knows the limit of this one and lowers what is more.
          const maxTokens = id === 'claude-opus-4-1' ? Math.min(limitOfModel, 32_000) : limitOfModel;
          const { limit, budget = 0 } = await asked(
            protocol,
            { id, maxTokens, contextWindow },
            { thinking, ...(wished !== undefined && { maxTokens: wished }) },
          );
          expect(limit).toBeLessThanOrEqual(Math.min(maxTokens, wished ?? Infinity, contextWindow));
          expect(limit).toBeGreaterThan(0);
          expect(budget).toBeLessThan(Math.max(limit, 129)); // Gemini 2.5 Pro thinks 128 tokens at least.
          const countsFrom = protocol === 'google-generative-ai' ? 0 : 1024;
          if (budget > 0) expect(budget).toBeGreaterThanOrEqual(countsFrom);
        },
      ),
      { numRuns: caseCount(150) },
    );
  });

  it.each([
    ['bedrock-converse-stream', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0', 64_000, 32_768],
    ['anthropic-messages', 'MiniMax-M2', 32_768, 26_214],
    ['anthropic-messages', 'm', 8000, 6400],
  ] as const)('includes the budget for thinking: %s %s', async (protocol, id, maxTokens, budget) => {
    expect(await asked(protocol, { id, maxTokens }, { thinking: 'xhigh' })).toMatchObject({ limit: maxTokens, budget });
  });

  it('leaves no thoughts where they would leave no answer', async () => {
    for (const protocol of ['anthropic-messages', 'bedrock-converse-stream'] as const)
      expect(await asked(protocol, { maxTokens: 1200 }, { thinking: 'high' })).toEqual({
        limit: 1200,
        budget: undefined,
        effort: undefined,
      });
  });
});

describe('the effort of Claude', () => {
  it.each([
    ['claude-opus-4-6', 'xhigh', 'max'],
    ['claude-sonnet-4-6', 'high', 'high'],
    ['claude-opus-4-7', 'xhigh', 'xhigh'],
    ['claude-sonnet-5', 'xhigh', 'xhigh'],
    ['claude-mythos-5', 'minimal', 'low'],
  ] as const)('of %s for %s is %s, directly and on Bedrock', async (id, thinking, effort) => {
    expect((await asked('anthropic-messages', { id }, { thinking })).effort).toBe(effort);
    expect((await asked('bedrock-converse-stream', { id: `us.anthropic.${id}-v1:0` }, { thinking })).effort).toBe(
      effort,
    );
  });
});

describe('the room in the window', () => {
  const user = (content: string): ModelMessage => ({ role: 'user', content, timestamp: 1 });
  const window = { contextWindow: 200_000, maxTokens: 64_000 };
  const room = async (messages: readonly ModelMessage[], model: Partial<Model> = window) =>
    (await asked('openai-completions', model, { messages })).limit;
  const answered = (totalTokens: number): ModelMessage => ({
    role: 'assistant',
    content: [{ type: 'text', text: 'Well.' }],
    api: 'openai-completions',
    provider: 'test',
    model: 'some-model',
    usage: {
      input: totalTokens,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: 2,
  });

  it('is all that is asked for when a conversation is long', async () => {
    expect(await room([user('Hello')])).toBe(64_000);
    for (const tokens of [140_000, 160_000, 180_000]) {
      const limit = await room([user('x'.repeat(tokens * 3))]);
      expect(limit + tokens).toBeLessThanOrEqual(200_000);
      expect(limit).toBeGreaterThan(200_000 - tokens - 5000);
    }
  });

  it('is known better when the provider has counted', async () => {
    const text = user('x'.repeat(400_000));
    const limit = await room([text, answered(160_000), user('Go on')]);
    expect(limit).toBeGreaterThan(35_000);
    expect(limit).toBeLessThan(40_000);
  });

  it('is not measured by a report about a conversation that was shortened since, or by one of another model', async () => {
    expect(await room([user('short'), answered(190_000), user('Go on')])).toBe(64_000);
    const other = { ...answered(160_000), model: 'another' } as ModelMessage;
    expect(await room([user('x'.repeat(400_000)), other])).toBeGreaterThan(60_000);
  });

  it('leaves enough for an answer even when there seems to be none, in windows of all sizes', async () => {
    expect(await room([user('x'.repeat(900_000))])).toBe(4096);
    expect(await room([user('x'.repeat(90_000))], { contextWindow: 8192, maxTokens: 8192 })).toBe(1024);
  });

  it('counts Chinese by its characters', async () => {
    expect(await room([user('汉'.repeat(160_000))])).toBeLessThan(40_000);
  });
});
