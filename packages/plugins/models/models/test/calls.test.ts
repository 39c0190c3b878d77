import { setTimeout as sleep } from 'node:timers/promises';
import { TenonError } from '@tenon/kernel';
import { type FakeModels, type Reply, startFakeModels } from '@tenon/model-fakes';
import { createProvider } from '@tenon/providers/api';
import { patientLimit } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnswerBuilder, type Model, NO_USAGE, type Provider, type RetryNotice, type StreamEvent } from '../src/api.ts';
import { type CallerHost, ModelCaller } from '../src/call/model-caller.ts';
import { isTransient, retryDelay } from '../src/call/retry-policy.ts';

let fake: FakeModels;
beforeEach(async () => void (fake = await startFakeModels()));
afterEach(() => fake.close());

const text = (answer: string): Reply => ({ content: [{ type: 'text', text: answer }] });
const RETRY = { maxAttempts: 4, baseDelayMs: 10, maxDelayMs: 40, maxWaitMs: 1000 };

const modelOf = (api: 'anthropic-messages' | 'openai-responses', id: string, provider = 'test'): Model => ({
  provider,
  id,
  name: id,
  api,
  baseUrl: fake.baseUrl(api),
  contextWindow: 1000,
  maxTokens: 1000,
  input: ['text'],
  reasoning: false,
});
const claude = () => modelOf('anthropic-messages', 'claude-sonnet-4-5');
const gpt = () => modelOf('openai-responses', 'gpt-5.4', 'other');

const ADAPTERS: Record<string, Provider> = {
  'anthropic-messages': createProvider('anthropic-messages', { stallMs: 5000 }),
  'openai-responses': createProvider('openai-responses', { stallMs: 5000 }),
};

function callerOf(host: Partial<CallerHost> = {}): ModelCaller {
  return new ModelCaller({
    provider: async (api) => ADAPTERS[api] as Provider,
    keys: async () => ['key-1'],
    reach: async (model, apiKey) => ({ model, apiKey }),
    renew: async () => false,
    fallbacks: async () => [],
    forImages: async () => undefined,
    advice: async () => undefined,
    retry: RETRY,
    batchMs: 0,
    harmonyGuard: true,
    ...host,
  });
}

async function call(caller: ModelCaller, model: Model, signal = new AbortController().signal) {
  const events: StreamEvent[] = [];
  const notices: RetryNotice[] = [];
  const request = {
    model,
    systemPrompt: 'x',
    messages: [{ role: 'user' as const, content: 'hi', timestamp: 1 }],
    tools: [],
  };
  for await (const event of caller.stream(request, { signal, onRetry: (notice) => notices.push(notice) }))
    events.push(event);
  const last = events.at(-1);
  if (last?.type !== 'done' && last?.type !== 'error') throw new Error('no end');
  const message = last.type === 'done' ? last.message : last.error;
  const said = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { events, notices, last, message, said };
}

const keysUsed = () => fake.requests.map(({ headers }) => headers['x-api-key']);

describe('deltas that come close together', () => {
  const LETTERS = 'abcdefghijklmnopqrst';
  const paced = { content: [{ type: 'text' as const, text: LETTERS }], deltaSize: 1, paceMs: 2 };
  /** The same provider, which knows nothing of joining. */
  const plain: Provider = {
    stream: (request, { signal }) => (ADAPTERS[request.model.api] as Provider).stream(request, { signal }),
  };

  it.each([
    ['by the provider where it can', undefined],
    ['for a provider that cannot', plain],
  ])('are joined %s; the first passes at once', async (_who, provider) => {
    for (const model of [claude(), gpt()]) {
      fake.reply(paced);
      const caller = callerOf({ batchMs: 60_000, ...(provider && { provider: async () => provider }) });
      const { events, said } = await call(caller, model);
      const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
      expect(deltas).toHaveLength(2);
      expect(deltas[0]?.length).toBeLessThan(LETTERS.length);
      expect(deltas.join('')).toBe(LETTERS);
      expect(said).toBe(LETTERS);
    }
  });

  it('are told one by one where the setting is 0', async () => {
    fake.reply(paced);
    const { events } = await call(callerOf(), claude());
    expect(events.filter(({ type }) => type === 'text_delta').length).toBeGreaterThan(2);
  });
});

describe('calls that fail at first', () => {
  it.each([
    [{ status: 429, headers: { 'retry-after': '0.05' } }],
    [{ status: 500 }],
    [{ status: 529, type: 'overloaded_error' }],
    [{ content: [{ type: 'text' as const, text: 'half an answer' }], fault: { kind: 'drop' as const, after: 4 } }],
    [
      {
        content: [{ type: 'text' as const, text: 'half an answer' }],
        fault: { kind: 'error-event' as const, after: 4, type: 'overloaded_error', message: 'busy' },
      },
    ],
    [
      {
        content: [{ type: 'text' as const, text: 'half an answer' }],
        fault: { kind: 'broken-frame' as const, after: 4 },
      },
    ],
    [{ content: [{ type: 'toolCall' as const, id: 'c', name: 'write', arguments: {}, rawArguments: '{"path' }] }],
  ])('are made again, and the user is told: %j', async (reply) => {
    fake.reply(reply, text('whole'));
    const { last, said, notices, events } = await call(callerOf(), claude());
    expect(last.type).toBe('done');
    expect(said).toBe('whole');
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ attempt: 2, maxAttempts: 4, reason: expect.stringContaining('test') });
    // What was shown of the first answer is void: a second start says so.
    const starts = events.filter(({ type }) => type === 'start').length;
    expect(starts).toBe('status' in reply ? 1 : 2);
  });

  it('end with what the user can do about it, also when another model took over', async () => {
    const advice: CallerHost['advice'] = async ({ provider }, { kind }) =>
      new TenonError({ code: 'CODE', owner: 'test', message: '', next: `${provider}: ${kind}` });
    fake.otherwise({ status: 503 });
    const { last, message } = await call(callerOf({ advice, fallbacks: async () => [gpt()] }), claude());
    expect(last).toMatchObject({ failure: { code: 'CODE', next: 'other: overloaded', status: 503 } });
    expect(message.errorNext).toBe('other: overloaded');
  });

  it('end after the last attempt with the last reason', async () => {
    fake.otherwise({ status: 503, message: 'still busy' });
    const { last, message, notices, events } = await call(callerOf(), claude());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'overloaded', status: 503 } });
    expect(message.errorMessage).toContain('still busy');
    expect(fake.requests).toHaveLength(4);
    expect(notices.map(({ attempt }) => attempt)).toEqual([2, 3, 4]);
    expect(events[0]?.type).toBe('start');
  });

  it.each([400, 401, 404])('are not made again when that cannot help (%i)', async (status) => {
    fake.otherwise({ status, message: 'no' });
    const { last } = await call(callerOf(), claude());
    expect(last.type).toBe('error');
    expect(fake.requests).toHaveLength(1);
  });

  it('do not wait longer than the user allows', async () => {
    fake.otherwise({ status: 429, headers: { 'retry-after': '3600' } });
    const { last } = await call(callerOf(), claude());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'rate-limit', retryAfterMs: 3_600_000 } });
    expect(fake.requests).toHaveLength(1);
  });

  it('can be aborted while they wait', async () => {
    fake.otherwise({ status: 429, headers: { 'retry-after': '30' } });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const started = Date.now();
    const { last } = await call(callerOf({ retry: { ...RETRY, maxWaitMs: 60_000 } }), claude(), controller.signal);
    expect(last).toMatchObject({ type: 'error', reason: 'aborted' });
    expect(Date.now() - started).toBeLessThan(patientLimit(10_000));
    expect(fake.requests).toHaveLength(1);
  });
});

describe('several keys of one provider', () => {
  it('take turns when one is limited, and the limited one rests', async () => {
    const caller = callerOf({ keys: async () => ['key-1', 'key-2', 'key-3'] });
    fake.reply(
      { status: 429, headers: { 'retry-after': '60' } },
      { status: 429, headers: { 'retry-after': '60' } },
      text('a'),
      text('b'),
    );
    const first = await call(caller, claude());
    expect(first.said).toBe('a');
    expect(first.notices.map(({ delayMs }) => delayMs)).toEqual([0, 0]);
    expect((await call(caller, claude())).said).toBe('b');
    expect(keysUsed()).toEqual(['key-1', 'key-2', 'key-3', 'key-3']);
  });

  it('replace one that is refused or used up', async () => {
    fake.reply({ status: 401 }, { status: 429, message: 'You exceeded your current quota' }, text('ok'));
    const { said } = await call(callerOf({ keys: async () => ['bad', 'empty', 'good'] }), claude());
    expect(said).toBe('ok');
    expect(keysUsed()).toEqual(['bad', 'empty', 'good']);
  });

  it('are renewed once when they belong to a login', async () => {
    fake.reply({ status: 401 }, text('ok'), { status: 401 }, { status: 401 });
    let token = 'old';
    const caller = callerOf({ keys: async () => [token], renew: async () => ((token += '+'), true) });
    const { said, notices } = await call(caller, claude());
    expect(said).toBe('ok');
    expect(notices[0]?.reason).toContain('the login was renewed');
    expect(keysUsed()).toEqual(['old', 'old+']);
    expect((await call(caller, claude())).last).toMatchObject({ type: 'error', failure: { kind: 'auth' } });
    expect(fake.requests).toHaveLength(4);
  });

  it('do not chase each other when all are limited for a moment only', async () => {
    fake.otherwise({ status: 429, headers: { 'retry-after': '0' } });
    const { last } = await call(callerOf({ keys: async () => ['key-1', 'key-2', 'key-3'] }), claude());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'rate-limit' } });
    expect(fake.requests).toHaveLength(4 + 2);
  });

  it('do not multiply the attempts at a provider that is down', async () => {
    fake.otherwise({ status: 500 });
    await call(callerOf({ keys: async () => ['key-1', 'key-2'] }), claude());
    expect(fake.requests).toHaveLength(4);
  });
});

describe('a chain of models', () => {
  it('hands the call on when one fails for good, and names the next', async () => {
    fake.reply({ status: 503 }, { status: 503 }, { status: 503 }, { status: 503 }, text('from the other'));
    const { said, message, notices } = await call(callerOf({ fallbacks: async () => [gpt()] }), claude());
    expect(said).toBe('from the other');
    expect(message).toMatchObject({ provider: 'other', model: 'gpt-5.4', api: 'openai-responses' });
    expect(notices.at(-1)).toMatchObject({ fallback: 'other/gpt-5.4', delayMs: 0 });
    expect(fake.requests.map(({ protocol }) => protocol)).toEqual([
      ...Array(4).fill('anthropic-messages'),
      'openai-responses',
    ]);
  });

  it('is not used for a request that no model can answer', async () => {
    fake.otherwise({ status: 400, message: 'prompt is too long: 9 tokens > 8 maximum' });
    const { last } = await call(callerOf({ fallbacks: async () => [gpt()] }), claude());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'context-overflow' } });
    expect(fake.requests).toHaveLength(1);
  });

  it('ends with the failure of its last model', async () => {
    fake.otherwise({ status: 500, message: 'all down' });
    const { last } = await call(callerOf({ fallbacks: async () => [gpt()] }), claude());
    expect(last.type === 'error' && last.error.provider).toBe('other');
  });

  it('lets a model that had to be replaced rest, and goes to the next one at once', async () => {
    const caller = callerOf({ fallbacks: async () => [gpt()], retry: { ...RETRY, maxAttempts: 1 } });
    fake.reply({ status: 503, message: 'down' }, text('first'), text('second'));
    await call(caller, claude());
    const { said, notices } = await call(caller, claude());
    expect(said).toBe('second');
    expect(notices).toMatchObject([
      { fallback: 'other/gpt-5.4', reason: expect.stringContaining('rests: test answered 503: down') },
    ]);
    expect(fake.requests.map(({ protocol }) => protocol)).toEqual([
      'anthropic-messages',
      'openai-responses',
      'openai-responses',
    ]);
  });

  it('goes on to the next model when there is no key', async () => {
    fake.reply(text('ok'));
    const keys = async ({ provider }: Model) => {
      if (provider === 'test') throw new Error('There is no key for test.');
      return ['k'];
    };
    const { said, notices } = await call(callerOf({ keys, fallbacks: async () => [gpt()] }), claude());
    expect(said).toBe('ok');
    expect(notices[0]?.reason).toContain('no key');
  });
});

describe('a leaked routing header', () => {
  const leak = {
    content: [
      {
        type: 'toolCall' as const,
        id: 'c',
        name: 'edit',
        arguments: { patch: 'x();】【analysis to=functions.edit code เงิน' },
      },
    ],
    deltaSize: 3,
  };

  it('never reaches the consumer, and the answer is asked for again', async () => {
    fake.reply(leak, { content: [{ type: 'toolCall', id: 'c', name: 'edit', arguments: { patch: 'x();' } }] });
    const { last, message, notices, events } = await call(callerOf(), gpt());
    expect(last.type).toBe('done');
    expect(message.content).toMatchObject([{ arguments: { patch: 'x();' } }]);
    expect(notices[0]?.reason).toContain('routing header');
    expect(
      events.some((event) => event.type === 'toolcall_end' && JSON.stringify(event.toolCall).includes('to=functions')),
    ).toBe(false);
  });

  it('is let through when the user has turned the guard off', async () => {
    fake.reply(leak);
    expect((await call(callerOf({ harmonyGuard: false }), gpt())).last.type).toBe('done');
  });
});

describe('providers that break the contract', () => {
  const withProvider = (provider: Provider) =>
    callerOf({ provider: async () => provider, retry: { ...RETRY, maxAttempts: 1 } });

  it('cannot hold up an abort', async () => {
    const deaf: Provider = {
      async *stream({ model }) {
        const builder = new AnswerBuilder(model);
        yield builder.start();
        yield builder.beginText('t');
        yield* builder.delta('t', 'so far');
        await new Promise(() => {});
      },
    };
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const { last, said } = await call(withProvider(deaf), claude(), controller.signal);
    expect(last).toMatchObject({ type: 'error', reason: 'aborted' });
    expect(said).toBe('so far');
  });

  it('cannot throw', async () => {
    const broken: Provider = {
      stream() {
        throw new Error('defect in a pack');
      },
    };
    const { last } = await call(withProvider(broken), claude());
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'unknown', message: 'defect in a pack' } });
  });

  it('cannot end without saying how', async () => {
    const mute: Provider = {
      async *stream({ model }) {
        yield new AnswerBuilder(model).start();
      },
    };
    expect((await call(withProvider(mute), claude())).last).toMatchObject({
      type: 'error',
      failure: { kind: 'server' },
    });
  });
});

describe('a consumer that leaves', () => {
  it('hangs up, also between two events', async () => {
    fake.reply({ content: [{ type: 'text', text: 'x'.repeat(4000) }], paceMs: 2 });
    const request = {
      model: claude(),
      systemPrompt: '',
      messages: [{ role: 'user' as const, content: 'hi', timestamp: 1 }],
      tools: [],
    };
    for await (const event of callerOf({ batchMs: 50 }).stream(request, { signal: new AbortController().signal }))
      if (event.type === 'text_delta') break;
    for (let i = 0; i < 50 && fake.requests[0]?.disconnectedAt === undefined; i++) await sleep(10);
    expect(fake.requests[0]?.disconnectedAt).toBeDefined();
  });
});

describe('the wait before a retry', () => {
  const failure = { kind: 'server' as const, message: 'x' };
  it('doubles, stays within its limit, and is jittered', () => {
    const settings = { maxAttempts: 10, baseDelayMs: 100, maxDelayMs: 1000, maxWaitMs: 5000 };
    expect([1, 2, 3, 4, 5, 6].map((attempt) => retryDelay(failure, attempt, settings, () => 1))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
    expect(retryDelay(failure, 3, settings, () => 0)).toBe(200);
    const refused = (address: string) => ({ kind: 'network' as const, message: `connect ECONNREFUSED ${address}` });
    // A server of one's own has to be started; one elsewhere comes back by itself.
    for (const address of ['127.0.0.1:8080', '::1:8080'])
      expect([1, 2, 3].map((attempt) => retryDelay(refused(address), attempt, settings, () => 1))).toEqual([
        100,
        200,
        undefined,
      ]);
    expect(retryDelay(refused('10.0.0.7:443'), 3, settings, () => 1)).toBe(400);
    expect(retryDelay({ ...failure, retryAfterMs: 3000 }, 1, settings, () => 0)).toBe(3000);
    expect(retryDelay({ ...failure, retryAfterMs: 6000 }, 1, settings)).toBeUndefined();
    expect(retryDelay(failure, 10, settings)).toBeUndefined();
    expect(isTransient({ kind: 'refused', message: '' })).toBe(false);
    expect(NO_USAGE.totalTokens).toBe(0);
  });
});
