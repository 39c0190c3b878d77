import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeModels, type Protocol, PROTOCOLS, startFakeModels } from '@tenon/model-fakes';
import { until } from '@tenon/test-kit/waiting';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { durationMs, retryAfterMs } from '../src/retry-after.ts';
import { collect, modelOf, providerOf, requestOf } from './harness.ts';

let fake: FakeModels;
beforeAll(async () => void (fake = await startFakeModels()));
afterAll(() => fake.close());
beforeEach(() => void (fake.requests.length = 0));

const LONG = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
const answer = { content: [{ type: 'text' as const, text: LONG }] };

/** How each provider says inside a 200 answer that it is overloaded. */
const OVERLOADED: Readonly<Record<Protocol, string>> = {
  'anthropic-messages': 'overloaded_error',
  'openai-responses': 'server_is_overloaded',
  'openai-completions': 'service_unavailable',
  'google-generative-ai': 'UNAVAILABLE',
  'bedrock-converse-stream': 'serviceUnavailableException',
};
const RATE_LIMITED: Readonly<Record<Protocol, string>> = {
  'anthropic-messages': 'rate_limit_error',
  'openai-responses': 'rate_limit_exceeded',
  'openai-completions': 'rate_limit_exceeded',
  'google-generative-ai': 'RESOURCE_EXHAUSTED',
  'bedrock-converse-stream': 'throttlingException',
};

describe.each(PROTOCOLS)('%s under faults', (protocol: Protocol) => {
  const run = (signal?: AbortSignal, stallMs?: number) =>
    collect(providerOf(protocol, stallMs), requestOf(modelOf(protocol, fake)), signal);

  it('names a rate limit and the wait that the provider asks for', async () => {
    fake.reply({ status: 429, headers: { 'retry-after': '7' }, message: 'slow down' });
    const { last, message } = await run();
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'rate-limit', status: 429, retryAfterMs: 7000 } });
    expect(message).toMatchObject({ stopReason: 'error', errorMessage: 'test answered 429: slow down' });
  });

  it('tells server faults, overload, wrong keys, long prompts and bad requests apart', async () => {
    const cases = [
      [{ status: 500 }, 'server'],
      [{ status: 503 }, 'overloaded'],
      [{ status: 529, type: 'overloaded_error' }, 'overloaded'],
      [{ status: 401, message: 'invalid key' }, 'auth'],
      [{ status: 403, message: 'not allowed' }, 'auth'],
      [{ status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' }, 'context-overflow'],
      [{ status: 400, message: "This model's maximum context length is 128000 tokens" }, 'context-overflow'],
      [{ status: 400, message: 'temperature: must be a number' }, 'bad-request'],
      [{ status: 429, message: 'You exceeded your current quota, please check your plan' }, 'no-quota'],
      [{ status: 502, body: '<html><body>Bad gateway</body></html>' }, 'server'],
    ] as const;
    for (const [reply, kind] of cases) {
      fake.reply(reply);
      const { last } = await run();
      expect(last, JSON.stringify(reply)).toMatchObject({ type: 'error', failure: { kind, status: reply.status } });
    }
  });

  it('finds an error inside a 200 answer and keeps what came before it', async () => {
    for (const [type, kind] of [
      [OVERLOADED[protocol], 'overloaded'],
      [RATE_LIMITED[protocol], 'rate-limit'],
    ] as const) {
      fake.reply({ ...answer, fault: { kind: 'error-event', after: 8, type, message: 'please come back later' } });
      const { last, message } = await run();
      expect(last).toMatchObject({ type: 'error', failure: { kind } });
      expect(message.errorMessage).toContain('please come back later');
      const [block] = message.content;
      expect(LONG.startsWith(block?.type === 'text' ? block.text : '?')).toBe(true);
    }
  });

  it('finds an error that comes before anything else in a 200 answer', async () => {
    fake.reply({ ...answer, fault: { kind: 'error-event', after: 0, type: OVERLOADED[protocol], message: 'busy' } });
    expect((await run()).last).toMatchObject({ type: 'error', failure: { kind: 'overloaded' } });
  });

  it('takes a frame with half of its JSON as a fault of the server, not as the end', async () => {
    fake.reply({ ...answer, fault: { kind: 'broken-frame', after: 9 } });
    const { last } = await run();
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'server' } });
  });

  it('takes a broken connection as a network fault', async () => {
    fake.reply({ ...answer, fault: { kind: 'drop', after: 9 } });
    const { last, message } = await run();
    expect(last).toMatchObject({ type: 'error', reason: 'error', failure: { kind: 'network' } });
    expect(message.content).toHaveLength(1);
  });

  it('does not take an answer that ends too early for a whole one', async () => {
    fake.reply({ ...answer, fault: { kind: 'end-early', after: 9 } });
    expect((await run()).last).toMatchObject({ type: 'error', failure: { kind: 'network' } });
  });

  it('gives up a connection on which nothing comes any more', async () => {
    fake.reply({ ...answer, fault: { kind: 'stall', after: 9 } });
    const { last, message } = await run(undefined, 150);
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'network' } });
    expect(message.errorMessage).toContain('nothing came for');
  });

  it('stops at an abort without waiting for the provider, hangs up, and keeps what has come', async () => {
    fake.reply({ ...answer, fault: { kind: 'stall', after: 12 } });
    const controller = new AbortController();
    // Not after a time: on a busy machine nothing may have come by then.
    const { last, message } = await collect(
      providerOf(protocol),
      requestOf(modelOf(protocol, fake)),
      controller.signal,
      ({ type }) => type === 'text_delta' && controller.abort(),
    );
    expect(last).toMatchObject({ type: 'error', reason: 'aborted', failure: { kind: 'aborted' } });
    expect(message.stopReason).toBe('aborted');
    expect(message.content).toHaveLength(1);
    await until(() => fake.requests[0]?.disconnectedAt !== undefined, 'the end of the connection');
  });

  it('does not even call when it is aborted before', async () => {
    const { last } = await run(AbortSignal.abort());
    expect(last).toMatchObject({ type: 'error', reason: 'aborted' });
    await sleep(20);
    expect(fake.requests.filter(({ disconnectedAt }) => disconnectedAt === undefined)).toHaveLength(0);
  });

  it('hangs up when the consumer loses interest', async () => {
    fake.reply({ ...answer, paceMs: 5 });
    for await (const event of providerOf(protocol).stream(requestOf(modelOf(protocol, fake)), {
      signal: new AbortController().signal,
    }))
      if (event.type === 'text_delta') break;
    await until(() => fake.requests[0]?.disconnectedAt !== undefined, 'the end of the connection');
  });

  it('does not read ahead without limit of a consumer that is slow', async () => {
    // 24 MB are on offer; the sockets and streams in between may hold some, but not most of it.
    fake.reply({ content: [{ type: 'text', text: 'x'.repeat(24 << 20) }], deltaSize: 32 << 10 });
    const stream = providerOf(protocol).stream(requestOf(modelOf(protocol, fake)), {
      signal: new AbortController().signal,
    });
    const iterator = stream[Symbol.asyncIterator]();
    for (let i = 0; i < 4; i++) await iterator.next();
    const written = () => fake.requests[0]?.bytesWritten ?? 0;
    const comesToRest = async () => {
      const before = written();
      await sleep(150);
      return written() === before;
    };
    await until(comesToRest, 'the end of reading ahead');
    expect(written()).toBeLessThan(16 << 20);
    await iterator.return?.();
  });
});

describe('a server that is not there', () => {
  it('is a network fault that names the reason', async () => {
    const closed = await startFakeModels();
    await closed.close();
    const { last } = await collect(providerOf('openai-completions'), requestOf(modelOf('openai-completions', closed)));
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'network' } });
    const said = last.type === 'error' ? last.error.errorMessage : '';
    expect(said?.match(/ECONNREFUSED/g)).toHaveLength(1);
  });
});

describe('a tool argument of a megabyte', () => {
  it.each(PROTOCOLS.filter((protocol) => protocol !== 'google-generative-ai'))(
    'costs over %s the same per character as a short one',
    async (protocol) => {
      const measure = async (size: number) => {
        const call = {
          type: 'toolCall' as const,
          id: 'call_1',
          name: 'write',
          arguments: { content: 'x'.repeat(size) },
        };
        fake.reply({ content: [call], deltaSize: 64 });
        const start = process.cpuUsage();
        let seen = 0;
        let last = '';
        for await (const event of providerOf(protocol).stream(requestOf(modelOf(protocol, fake)), {
          signal: new AbortController().signal,
        })) {
          if (event.type !== 'toolcall_delta') continue;
          const block = event.partial.content[event.contentIndex];
          const { content = '' } = (block?.type === 'toolCall' ? block.arguments : {}) as { content?: string };
          seen += Number(content.length >= last.length);
          last = content;
        }
        expect(last).toHaveLength(size);
        expect(seen).toBeGreaterThan(size / 64);
        const { user } = process.cpuUsage(start);
        return user / size;
      };
      await measure(1 << 16); // Warm.
      const small = await measure(1 << 17);
      const large = await measure(1 << 20);
      // Quadratic work would be eight times as much per character.
      expect(large / small).toBeLessThan(4);
    },
    60_000,
  );
});

describe('the wait that a provider asks for', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after': '2' }, '', 2000],
    [{ 'retry-after-ms': '350', 'retry-after': '2' }, '', 350],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, '', 5000],
    [
      {
        'x-ratelimit-reset-tokens': '1m30s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-requests': '9m',
        'x-ratelimit-remaining-requests': '12',
      },
      '',
      90_000,
    ],
    [
      { 'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:12Z', 'anthropic-ratelimit-requests-remaining': '0' },
      '',
      12_000,
    ],
    [{}, '{"retryDelay": "34s"}', 34_000],
    [{}, 'Please try again in 1.5s.', 1500],
    [{}, 'nothing', undefined],
  ])('is read from %j %s', (headers, text, expected) => {
    expect(retryAfterMs(headers, text, now)).toBe(expected);
  });

  it('knows durations', () => {
    expect([durationMs('250ms'), durationMs('1h2m'), durationMs('soon')]).toEqual([250, 3_720_000, undefined]);
  });
});
