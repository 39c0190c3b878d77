import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { faultOfStatus, failureOf, statusIn } from '../src/parsing/faults.ts';
import { readLine } from '../src/parsing/fields.ts';
import { genericEventParser } from '../src/parsing/generic-events.ts';
import { LineCutter } from '../src/parsing/lines.ts';
import { lengthOf, retryTime } from '../src/parsing/retry-time.ts';
import { prepareStructured, structuredAnswer } from '../src/parsing/structured.ts';
import { textParser } from '../src/parsing/text-parser.ts';
import { costSince, findUsage, readUsage, usageSince } from '../src/parsing/usage.ts';
import { eventParser } from '../src/parsing/event-parser.ts';
import { NOON, ofType, play } from './playing.ts';

/** What is really held: garbage that nobody has collected yet says nothing. */
function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('lines', () => {
  it('end with LF or CRLF, and the last one without', () => {
    const cutter = new LineCutter();
    expect(cutter.push('a\r\nb\n\nc\r').map(({ text }) => text)).toEqual(['a', 'b', '']);
    expect(cutter.push('\n\rd').map(({ text }) => text)).toEqual(['c']);
    expect(cutter.end().map(({ text }) => text)).toEqual(['\rd']);
    expect(cutter.end()).toEqual([]);
  });

  it('are kept up to a limit, however long they are', () => {
    const cutter = new LineCutter(10);
    for (let pieces = 0; pieces < 1000; pieces++) cutter.push('x'.repeat(50));
    expect(cutter.push('y\nnext\n')).toEqual([
      { text: 'x'.repeat(10), dropped: 49_991 },
      { text: 'next', dropped: 0 },
    ]);
  });

  it('of 50 MB do not fill the memory, and the run is told about them', async () => {
    const parser = eventParser({}, { event: (_, reading) => (reading.isFinished = true) });
    const piece = 'x'.repeat(1_000_000);
    const before = heapAfterCollection();
    for (let pieces = 0; pieces < 50; pieces++) parser.push(`${pieces}${piece}`, 'stdout');
    expect(heapAfterCollection() - before).toBeLessThan(20_000_000);
    const events = parser.push('\n{"type":"end"}\n', 'stdout');
    expect(events).toEqual([
      { type: 'warning', message: 'A line of 47.7MB was left out: it is longer than any event.' },
    ]);
    expect(parser.end({ code: 0 }).isDone).toBe(true);
  });

  it('are events, sentences, or nothing', () => {
    expect(readLine(' {"a":1} ')).toEqual({ kind: 'event', event: { a: 1 } });
    expect(readLine('Hello {"a":1}').kind).toBe('text');
    expect(readLine('[STARTUP] Phase').kind).toBe('text');
    const deep = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    expect(readLine(`{"a":"${'['.repeat(5000)}\\""}`).kind).toBe('event');
    for (const line of [deep, '', '  ', '{"type":"resu', '[1,2]', '[{"a":', '["x"'])
      expect(readLine(line).kind, line.slice(0, 40)).toBe('nothing');
  });
});

describe('usage', () => {
  it('is read in all spellings, with the whole prompt as input', () => {
    const whole = { input: 1300, output: 20, cacheRead: 300, cacheWrite: 0, reasoning: 0 };
    // Counted apart.
    expect(readUsage({ input_tokens: 1000, cache_read_input_tokens: 300, output_tokens: 20 })).toEqual(whole);
    expect(readUsage({ inputTokens: 1000, cacheReadInputTokens: 300, outputTokens: 20 })).toEqual(whole);
    expect(readUsage({ input: 1000, cacheRead: 300, output: 20 })).toEqual(whole);
    expect(readUsage({ input: 1000, cache: { read: 300, write: 0 }, output: 20 })).toEqual(whole);
    // Part of the input.
    expect(readUsage({ input_tokens: 1300, cached_input_tokens: 300, output_tokens: 20 })).toEqual(whole);
    expect(
      readUsage({ prompt_tokens: 1300, prompt_tokens_details: { cached_tokens: 300 }, completion_tokens: 20 }),
    ).toEqual(whole);
    expect(readUsage({ promptTokenCount: 1300, cachedContentTokenCount: 300, candidatesTokenCount: 20 })).toEqual(
      whole,
    );
  });

  it('knows writes to caches and reasoning', () => {
    expect(
      readUsage({
        input_tokens: 1,
        cache_creation_input_tokens: 40,
        output_tokens: 2,
        output_tokens_details: { thinking_tokens: 1 },
      }),
    ).toEqual({ input: 41, output: 2, cacheRead: 0, cacheWrite: 40, reasoning: 1 });
    expect(
      readUsage({ input_tokens: 41, cache_write_input_tokens: 40, output_tokens: 2, reasoning_output_tokens: 1 }),
    ).toEqual({ input: 41, output: 2, cacheRead: 0, cacheWrite: 40, reasoning: 1 });
    expect(readUsage({ output_tokens: 9, completion_tokens_details: { reasoning_tokens: 4 } })?.reasoning).toBe(4);
  });

  it('is nothing where there are no counts', () => {
    for (const value of [
      undefined,
      null,
      3,
      'x',
      [],
      {},
      { total: 9 },
      { input_tokens: 'many' },
      { input_tokens: Number.NaN },
    ])
      expect(readUsage(value)).toBeUndefined();
  });

  it('is found wherever an event has it', () => {
    expect(findUsage({ event: { message: { usage: { input_tokens: 5, output_tokens: 1 } } } })?.input).toBe(5);
    expect(findUsage({ part: { tokens: { input: 5, output: 1 } } })?.input).toBe(5);
    expect(findUsage({ a: { b: { c: { d: { e: { usage: { input_tokens: 5 } } } } } } })).toBeUndefined();
  });

  it('of a process is what came on top of the sum before', () => {
    const usage = (input: number) => ({ input, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
    expect(usageSince(usage(7800), usage(3900)).input).toBe(3900);
    // A sum that shrank is that of a new session.
    expect(usageSince(usage(3900), usage(7800)).input).toBe(3900);
    expect(costSince(0.02676, 0.01338)).toBe(0.01338);
    expect(costSince(0.01, 0.5)).toBe(0.01);
  });
});

describe('a failure', () => {
  const kind = (text: string, status?: number) => failureOf({ text, status, now: NOON }).fault;

  it.each([
    ['429 Too Many Requests', 'rate-limit'],
    ['too many requests, slow down', 'rate-limit'],
    ['RESOURCE_EXHAUSTED', 'rate-limit'],
    ['Quota exceeded for metric generate_content', 'quota'],
    ["You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours.", 'quota'],
    ['Claude AI usage limit reached|1794924000', 'quota'],
    ['You exceeded your current quota, please check your plan', 'quota'],
    ['Your credit balance is too low to access the API', 'quota'],
    ['5-hour limit reached ∙ resets 3pm', 'quota'],
    ['{"type":"overloaded_error","message":"Overloaded"}', 'overloaded'],
    ['API Error: 529 {"type":"error"}', 'overloaded'],
    ['503 Service Unavailable', 'overloaded'],
    ['We’re currently experiencing high demand', 'overloaded'],
    ['unexpected status 401 Unauthorized: bad key', 'auth'],
    ['403 Forbidden', 'auth'],
    ['invalid x-api-key', 'auth'],
    ['OAuth token has expired', 'auth'],
    ['Not logged in · Please run /login', 'login-needed'],
    ['No API key found for openai.', 'login-needed'],
    ['connect ECONNREFUSED 127.0.0.1:9', 'network'],
    ['getaddrinfo ENOTFOUND api.example.com', 'network'],
    ['TypeError: fetch failed', 'network'],
    ["This model's maximum context length is 200000 tokens", 'context'],
    ['prompt is too long: 210000 tokens > 200000 maximum', 'context'],
    ['413 request_too_large', 'context'],
    ['No conversation found with session ID: 1', 'session-unknown'],
    ["error: unknown option '--frobnicate'", 'bad-arguments'],
    ["error: unexpected argument '--x' found", 'bad-arguments'],
    ['sh: 1: claude: command not found', 'not-installed'],
    ['Something else happened in 401 files', 'other'],
    ['', 'other'],
  ])('"%s" is of the kind %s', (text, fault) => {
    expect(kind(text)).toBe(fault);
  });

  it('is of the kind of its status, unless the text says more exactly', () => {
    expect(kind('nothing to see', 429)).toBe('rate-limit');
    expect(kind('usage limit reached', 429)).toBe('quota');
    expect(kind('Your credit balance is too low', 400)).toBe('quota');
    expect(kind('input is too long', 400)).toBe('context');
    expect(kind('rate limit', 401)).toBe('auth');
    expect(faultOfStatus(404)).toBeUndefined();
  });

  it('has the status that its text speaks of, and no other number', () => {
    expect(statusIn('exceeded retry limit, last status: 429 Too Many Requests')).toBe(429);
    expect(statusIn('[API Error: {"error":{"code":401,"message":"x"}}]')).toBe(401);
    expect(statusIn('API Error: Request rejected (429) · fake')).toBe(429);
    expect(statusIn('401: {"message":"fake"}')).toBe(401);
    expect(statusIn('HTTP/1.1 503 unavailable')).toBe(503);
    expect(statusIn('wrote 500 lines to 404.html in 512 ms')).toBeUndefined();
  });

  it('has a plain message that is no novel', () => {
    const { message } = failureOf({ text: `\u001b[31mno\u001b[0m\u0007 ${'x'.repeat(5000)}`, now: NOON });
    expect(message).toMatch(/^no\s+x{1000}/);
    expect(message.length).toBeLessThan(2100);
  });
});

describe('the time of the next try', () => {
  const at = (text: string, headers: Record<string, string> = {}) => retryTime({ text, headers }, NOON);

  it.each([
    ['Please try again in 5m', '12:05:00.000'],
    ['try again in 20s.', '12:00:20.000'],
    ['Please retry in 34.07s', '12:00:34.070'],
    ['Rate limit reached. Try again in 1 hour 30 minutes', '13:30:00.000'],
    ['try again in 6ms', '12:00:00.006'],
    ['{"retryDelay":"34s"}', '12:00:34.000'],
    ['retry-after: 120', '12:02:00.000'],
    ['limit resets in 2h', '14:00:00.000'],
    ['resets at 3pm (UTC)', '15:00:00.000'],
    ['resets 3:30 PM (Europe/Berlin)', '14:30:00.000'],
    ['resets 15:00 UTC', '15:00:00.000'],
    ['usage limit reached|1794924000', '14:00:00.000'],
    ['resets at 2026-11-17T15:00:00Z', '15:00:00.000'],
    ['try again at Nov 17th, 2026 3:04 PM (UTC)', '15:04:00.000'],
  ])('stands in "%s"', (text, time) => {
    expect(at(text)).toBe(`2026-11-17T${time}Z`);
  });

  it('is tomorrow when the clock has passed it', () => {
    expect(at('resets 9am (UTC)')).toBe('2026-11-18T09:00:00.000Z');
    expect(at('try again in 3 days 4 hours')).toBe('2026-11-20T16:00:00.000Z');
  });

  it('stands in headers, which win', () => {
    expect(at('try again in 5m', { 'Retry-After': '10' })).toBe('2026-11-17T12:00:10.000Z');
    expect(at('', { 'retry-after': 'Tue, 17 Nov 2026 12:30:00 GMT' })).toBe('2026-11-17T12:30:00.000Z');
    expect(at('', { 'retry-after-ms': '1500' })).toBe('2026-11-17T12:00:01.500Z');
    expect(at('', { 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-reset-requests': '1s' })).toBe(
      '2026-11-17T12:06:00.000Z',
    );
    expect(at('', { 'anthropic-ratelimit-tokens-reset': '2026-11-17T12:07:00Z' })).toBe('2026-11-17T12:07:00.000Z');
    expect(at('', { 'anthropic-ratelimit-unified-reset': '1794924000' })).toBe('2026-11-17T14:00:00.000Z');
  });

  it('is unknown when nothing says it, or it makes no sense', () => {
    for (const text of [
      '',
      'try again later',
      'resets at 99pm',
      'retry 3 times',
      'resets 3pm (Nowhere/Atall)',
      'try again in 90 weeks',
    ])
      expect(at(text), text).toBeUndefined();
    expect(at('resets at 2020-01-01T00:00:00Z')).toBeUndefined();
    expect(lengthOf('3 parsecs')).toBeUndefined();
  });

  it('is part of failures that a wait helps against', () => {
    expect(failureOf({ text: '429: try again in 5m', now: NOON }).retryAt).toBe('2026-11-17T12:05:00.000Z');
    expect(failureOf({ text: '401: try again in 5m', now: NOON })).not.toHaveProperty('retryAt');
  });
});

describe('a structured answer', () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  };
  const read = async (text: string, of: object = schema) => {
    await prepareStructured(schema);
    return structuredAnswer(text, of as Record<string, unknown>);
  };

  it.each([
    '{"n":1}',
    ' \n{"n":1}\n',
    '```json\n{"n":1}\n```',
    'Sure:\n\n```\n{"n":1}\n```\nAnything else?',
    'First try:\n```json\n{"n":"x"}\n```\nBetter:\n```json\n{"n":1}\n```',
    'The answer is {"n":1}, I think.',
    '~~~json\r\n{"n":1}\r\n~~~',
  ])('is read out of %j', async (text) => {
    expect(await read(text)).toEqual({ value: { n: 1 } });
  });

  it('of an attacker is read in no time', async () => {
    const hostile = ['```a\n'.repeat(200_000), '{'.repeat(400_000), '~~~\n[\n'.repeat(100_000), ' '.repeat(400_000)];
    for (const text of hostile) expect(await read(text)).toHaveProperty('problem');
  });

  it('that does not fit says why', async () => {
    expect(await read('{"n":"x"}')).toEqual({ problem: 'n: must be integer' });
    expect(await read('no')).toEqual({ problem: 'the answer is no JSON' });
    expect(await read(' ')).toEqual({ problem: 'the answer is empty' });
    expect(await read('1', { type: 'nonsense' })).toEqual({
      problem: expect.stringMatching(/^the schema cannot be used/),
    });
  });
});

describe('a CLI that writes text', () => {
  const parser = (rules = {}) => ({ parser: (context: object) => textParser(context, rules) });

  it('answers with all of it, without styles and banners', async () => {
    const text = 'aider v1.2\n\n\u001b[32mHello\u001b[0m\n\n\nBye\n\n';
    const { events, outcome } = await play(parser({ banners: [/^aider v/] }), [['stdout', text]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, text: 'Hello\n\n\nBye' });
    expect(
      ofType(events, 'text')
        .map(({ text: part }) => part)
        .join(''),
    ).toBe('Hello\n\n\nBye');
  });

  it('has failed when a pattern says so, although the exit code is 0; JSON is not looked at', async () => {
    const rules = { errors: [/^Error:/g] };
    const failed = await play(parser(rules), [['stdout', 'Error: 401 Unauthorized\nError: more\n']], { code: 0 });
    expect(failed.outcome).toMatchObject({ isDone: false, error: { fault: 'auth' } });
    expect(ofType(failed.events, 'error')).toHaveLength(2);
    const fine = await play(parser({ errors: [/Error/] }), [['stdout', '{"text":"Error: none"}\n']], { code: 0 });
    expect(fine.outcome.isDone).toBe(true);
  });

  it('says on standard output why it failed, and may name its session', async () => {
    const { outcome } = await play(
      parser({ session: /^session: (\S+)/ }),
      [['stdout', 'session: s1\ncannot: rate limit\n']],
      { code: 2 },
    );
    expect(outcome).toMatchObject({ session: 's1', isDone: false, error: { fault: 'rate-limit' } });
  });

  it('may end with a line of numbers', async () => {
    const { outcome } = await play(parser(), [['stdout', 'ok\n{"usage":{"input_tokens":3,"output_tokens":1}}\n']], {
      code: 0,
    });
    expect(outcome.usage).toMatchObject({ input: 3, output: 1 });
  });

  it('that is not there is known by its exit code', async () => {
    expect((await play(parser(), [], { code: 127 })).outcome.error?.fault).toBe('not-installed');
    expect((await play(parser(), [], { code: 1 })).outcome.error).toEqual({
      fault: 'other',
      message: 'It ended with exit code 1 and did not say why.',
    });
    expect((await play(parser(), [], {})).outcome.error?.fault).toBe('killed');
  });
});

describe('JSON lines that nobody has described', () => {
  const parser = { parser: genericEventParser };
  const lines = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

  it('give session, text, usage and the final answer by fields that many share', async () => {
    const { events, outcome } = await play(
      parser,
      [
        [
          'stdout',
          lines(
            { type: 'start', sessionId: 's1' },
            { type: 'message', role: 'user', content: 'x' },
            { type: 'text_delta', delta: 'Hel' },
            { type: 'text_delta', delta: 'lo' },
            { type: 'step', usage: { prompt_tokens: 5, completion_tokens: 2 } },
            { type: 'result', result: 'Hello' },
          ),
        ],
      ],
      { code: 0 },
    );
    expect(outcome).toMatchObject({ isDone: true, session: 's1', text: 'Hello', usage: { input: 5, output: 2 } });
    expect(ofType(events, 'text').map(({ text }) => text)).toEqual(['Hel', 'lo']);
  });

  it('say that it failed', async () => {
    const failed = async (event: object) =>
      (await play(parser, [['stdout', lines(event)]], { code: 0 })).outcome.error?.fault;
    expect(await failed({ type: 'error', message: '429 slow down' })).toBe('rate-limit');
    expect(await failed({ error: { message: 'invalid api key' } })).toBe('auth');
    expect(await failed({ is_error: true, result: 'overloaded' })).toBe('overloaded');
  });

  it('with an assistant message in blocks', async () => {
    const event = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] } };
    expect((await play(parser, [['stdout', lines(event)]], { code: 0 })).outcome).toMatchObject({
      isDone: true,
      text: 'Hi',
    });
  });
});
