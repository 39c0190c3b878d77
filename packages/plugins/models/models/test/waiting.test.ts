/** Whoever calls a model may not want to wait for a retry, or may lose patience. */
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import { createProvider } from '@tenon/providers/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Model, ModelCall, Provider, RetryNotice, StreamEvent } from '../src/api.ts';
import { type CallerHost, ModelCaller } from '../src/call/model-caller.ts';

let fake: FakeModels;
beforeEach(async () => void (fake = await startFakeModels()));
afterEach(() => fake.close());

const adapter: Provider = createProvider('anthropic-messages', { stallMs: 5000 });
const modelOf = (id: string): Model => ({
  provider: 'test',
  id,
  name: id,
  api: 'anthropic-messages',
  baseUrl: fake.baseUrl('anthropic-messages'),
  contextWindow: 1000,
  maxTokens: 1000,
  input: ['text'],
  reasoning: false,
});

/** One call of the model `first`. */
async function call(
  host: Partial<CallerHost>,
  how: { mayWait?: () => boolean; onRetry?: (stopWaiting: () => void) => void } = {},
) {
  const caller = new ModelCaller({
    provider: async () => adapter,
    keys: async () => ['key-1'],
    reach: async (model, apiKey) => ({ model, apiKey }),
    renew: async () => false,
    fallbacks: async () => [],
    forImages: async () => undefined,
    advice: async () => undefined,
    retry: { maxAttempts: 4, baseDelayMs: 60_000, maxDelayMs: 60_000, maxWaitMs: 60_000 },
    batchMs: 0,
    harmonyGuard: true,
    ...host,
  });
  const notices: RetryNotice[] = [];
  const options: ModelCall = {
    signal: new AbortController().signal,
    onRetry: (notice, stopWaiting) => (notices.push(notice), how.onRetry?.(stopWaiting)),
    ...(how.mayWait && { mayWait: how.mayWait }),
  };
  const messages = [{ role: 'user' as const, content: 'hi', timestamp: 1 }];
  let last: StreamEvent | undefined;
  const request = { model: modelOf('first'), systemPrompt: 'x', messages, tools: [] };
  for await (const event of caller.stream(request, options)) last = event;
  if (last?.type !== 'done' && last?.type !== 'error') throw new Error('no end');
  return { last, message: last.type === 'done' ? last.message : last.error, notices };
}

describe('without waiting', () => {
  const mayWait = () => false;

  it('a failed call ends with what the provider said', async () => {
    fake.otherwise({ status: 500, message: 'kaput' });
    const { last, message, notices } = await call({}, { mayWait });
    expect(last).toMatchObject({ type: 'error', reason: 'error', failure: { kind: 'server', status: 500 } });
    expect(message.errorMessage).toContain('kaput');
    expect([fake.requests.length, notices.length]).toEqual([1, 0]);
  });

  it('another key takes over', async () => {
    fake.reply({ status: 429, headers: { 'retry-after': '30' } }, { content: [{ type: 'text', text: 'served' }] });
    const { last, notices } = await call({ keys: async () => ['key-1', 'key-2'] }, { mayWait });
    expect(last.type).toBe('done');
    expect(fake.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-2']);
    expect(notices).toMatchObject([{ delayMs: 0 }]);
  });

  it('another model takes over', async () => {
    fake.reply({ status: 500, message: 'kaput' }, { content: [{ type: 'text', text: 'served' }] });
    const { message, notices } = await call({ fallbacks: async () => [modelOf('second')] }, { mayWait });
    expect(message).toMatchObject({ model: 'second', stopReason: 'stop' });
    expect(notices).toMatchObject([{ fallback: 'test/second', reason: expect.stringContaining('kaput') }]);
  });
});

describe('a wait that is stopped', () => {
  it('ends the call with what the provider said, and no other model begins', async () => {
    fake.otherwise({ status: 500, message: 'kaput' });
    const host = { fallbacks: async () => [modelOf('second')] };
    const { last, message, notices } = await call(host, { onRetry: (stopWaiting) => setTimeout(stopWaiting, 10) });
    expect(last).toMatchObject({ type: 'error', reason: 'error', failure: { kind: 'server' } });
    expect(message.errorMessage).toContain('kaput');
    expect([fake.requests.length, notices.length]).toEqual([1, 1]);
  });

  it('has no effect any more once the call was made again', async () => {
    fake.reply({ status: 500 }, { status: 500 }, { content: [{ type: 'text', text: 'served' }] });
    const earlier: (() => void)[] = [];
    const retry = { maxAttempts: 4, baseDelayMs: 5, maxDelayMs: 5, maxWaitMs: 5 };
    const onRetry = (stopWaiting: () => void) => {
      for (const stop of earlier) stop();
      earlier.push(stopWaiting);
    };
    const { last } = await call({ retry }, { onRetry });
    expect([last.type, fake.requests.length]).toEqual(['done', 3]);
  });
});
