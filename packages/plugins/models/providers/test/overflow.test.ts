import { type FakeModels, PROTOCOLS, startFakeModels } from '@tenon/model-fakes';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOverflow } from '../src/failure-kind.ts';
import { collect, modelOf, providerOf, requestOf } from './harness.ts';

let fake: FakeModels;
beforeAll(async () => void (fake = await startFakeModels()));
afterAll(() => fake.close());

/** What providers and servers are known to say, by who says it. */
const TOO_LONG: readonly (readonly [who: string, text: string])[] = [
  ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum'],
  ['Anthropic', 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000'],
  ['Bedrock', 'Input is too long for requested model.'],
  ['Bedrock Nova', 'Input Tokens Exceeded: Number of input tokens exceeds maximum length.'],
  ['Gemini', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
  ['OpenAI', "This model's maximum context length is 128000 tokens."],
  ['OpenAI', 'Your input exceeds the context window of this model.'],
  ['OpenAI', 'Input tokens exceed the configured limit of 272000 tokens.'],
  ['Azure', 'context_length_exceeded'],
  ['OpenRouter', "This endpoint's maximum context length is 131072 tokens."],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ['Mistral', 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
  ['Moonshot', 'Your request exceeded model token limit: 131072 (requested: 200000)'],
  ['Alibaba', '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]'],
  ['Z.ai', 'Prompt exceeds max length'],
  ['Z.ai', 'model_context_window_exceeded'],
  ['MiniMax', 'invalid params, context window exceeds limit'],
  ['Fireworks', 'The prompt is too long: 300000, model maximum context length: 202751'],
  ['Together', "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
  ['Hugging Face', 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096'],
  ['GitHub Models', 'Request body too large for gpt-4o model. Max size: 8000 tokens.'],
  ['Copilot', 'prompt token count of 140000 exceeds the limit of 128000'],
  ['vLLM', 'The decoder prompt (length 9000) is longer than the maximum model length of 8192'],
  [
    'vLLM',
    "'max_tokens' is too large: 9. This model's maximum context length is 8 tokens and your request has 7 input tokens",
  ],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
  ['llama.cpp', 'exceed_context_size_error'],
  ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length'],
  ['Ollama', 'prompt too long; exceeded max context length by 4 tokens'],
  ['Qianfan', 'Prompt tokens too long'],
  ['a gateway', 'tokens in prompt exceed the model limit'],
  ['a gateway', '输入长度超过模型上限'],
];

const OTHER_400: readonly string[] = [
  'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
  'max_tokens exceeds the limit of 8192',
  'Invalid max_tokens value, the valid range of max_tokens is [1, 393216]',
  "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64.",
  'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
  'temperature: must be a number',
  'tools.3.name: String should have at most 64 characters',
];

describe.each(PROTOCOLS)('over %s', (protocol) => {
  const provider = providerOf(protocol);
  const kindOf = async (status: number, message: string, body?: string) => {
    fake.reply({ status, message, ...(body !== undefined && { body }) });
    const { last } = await collect(provider, requestOf(modelOf(protocol, fake)));
    return last.type === 'error' ? last.failure?.kind : 'answered';
  };

  it('a conversation that is too long is recognised, whoever says it', async () => {
    for (const [who, text] of TOO_LONG) expect(await kindOf(400, text), `${who}: ${text}`).toBe('context-overflow');
    // Local servers call it their own fault.
    expect(await kindOf(500, 'the request exceeds the available context size')).toBe('context-overflow');
    expect(await kindOf(413, '', '')).toBe('context-overflow');
  });

  it('it is recognised behind a gateway that wraps the words', async () => {
    const raw = JSON.stringify({ error: { message: 'prompt is too long: 3 tokens > 2 maximum' } });
    const body = JSON.stringify({ error: { message: 'Provider returned error', code: 400, metadata: { raw } } });
    expect(await kindOf(400, '', body)).toBe('context-overflow');
  });

  it('other mistakes are not taken for it', async () => {
    for (const text of OTHER_400) expect(await kindOf(400, text), text).toBe('bad-request');
  });

  it('too much in a minute is a reason to wait, too much in one request is not', async () => {
    const perMinute = "This request would exceed your organization's rate limit of 40,000 input tokens per minute.";
    expect(await kindOf(429, perMinute)).toBe('rate-limit');
    expect(await kindOf(429, 'Too many tokens, please wait before trying again.')).toBe('rate-limit');
    expect(
      await kindOf(429, 'Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 43000.'),
    ).toBe('context-overflow');
  });

  it('an empty account, an unknown model and a wrong key are told apart', async () => {
    expect(await kindOf(400, 'Your credit balance is too low to access the API.')).toBe('no-quota');
    expect(await kindOf(402, 'Insufficient Balance')).toBe('no-quota');
    expect(await kindOf(429, 'You exceeded your current quota, please check your plan and billing details.')).toBe(
      'no-quota',
    );
    expect(await kindOf(429, 'You exceeded your current quota. Please retry in 12.5s.')).toBe('rate-limit');
    expect(await kindOf(404, 'model: claude-nope not found')).toBe('no-model');
    expect(await kindOf(404, 'The model `gpt-nope` does not exist or you do not have access to it.')).toBe('no-model');
    expect(await kindOf(400, 'The provided model identifier is invalid.')).toBe('no-model');
    expect(await kindOf(400, 'acme/nope is not a valid model ID')).toBe('no-model');
    expect(await kindOf(404, 'no such path')).toBe('bad-request');
    expect(await kindOf(401, 'invalid x-api-key')).toBe('auth');
  });
});

describe('the words of an overflow', () => {
  const WORDS = [
    'the',
    'tool',
    'schema',
    'temperature',
    'value',
    'must',
    'be',
    'a',
    'number',
    'field',
    'unknown',
    '[1, 8]',
  ];

  it('are found in other words, in capitals, and nowhere else', () => {
    const filler = fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.constantFrom(...TOO_LONG), filler, filler, fc.boolean(), ([, text], before, after, capitals) => {
        const said = `${before}. ${text} ${after}`;
        expect(isOverflow(capitals ? said.toUpperCase() : said)).toBe(true);
        expect(isOverflow(`${before} ${after}`)).toBe(false);
      }),
    );
  });
});
