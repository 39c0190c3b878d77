import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folders } from '@tenon/host';
import { settingsEngine } from '@tenon/kernel';
import { pluginContract } from '@tenon/kernel/testing';
import {
  AnswerBuilder,
  type AssistantMessage,
  type Model,
  type ModelMessage,
  type ModelRequest,
  NO_USAGE,
  type Provider,
  type StreamEvent,
} from '@tenon/models/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkshop } from '@tenon/test-kit/offline-workshop';
import source from '../package.json' with { type: 'json' };
import { CassetteWriter, type Match, playing, readCassette, recording } from '../src/api.ts';
import plugin from '../src/plugin.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tenon-replay-'));
  file = join(home, 'tapes', 'one.jsonl');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const model: Model = {
  provider: 'test',
  id: 'm',
  name: 'M',
  api: 'test',
  contextWindow: 1000,
  maxTokens: 100,
  input: ['text'],
  reasoning: true,
};
const user = (content: string, timestamp = 1): ModelMessage => ({ role: 'user', content, timestamp });
const request = (text: string, extra: Partial<ModelRequest> = {}): ModelRequest => ({
  model,
  systemPrompt: `Folder: ${home}/project. Date: 2025-01-02.`,
  messages: [user(text)],
  tools: [
    { name: 'read', description: 'Reads', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  ],
  ...extra,
});

/** A model that thinks, speaks, calls a tool, and counts how often it was asked. */
function speaker(
  answer: (request: ModelRequest, count: number) => string = ({ messages }) =>
    `You said ${JSON.stringify(messages.at(-1)?.content)}`,
): Provider {
  let count = 0;
  return {
    async *stream(asked) {
      const builder = new AnswerBuilder(asked.model);
      yield builder.start();
      yield builder.beginThinking('t');
      yield* builder.delta('t', 'hm');
      builder.sign('t', 'signature');
      yield* builder.end('t');
      yield builder.beginText('x');
      yield* builder.delta('x', answer(asked, count++));
      yield* builder.end('x');
      yield builder.beginToolCall('c', { id: 'call-1', name: 'read' });
      yield* builder.delta('c', '{"path":"ä€𝄞.ts","deep":[[[[[[[[{"a":1}]]]]]]]]}');
      yield* builder.end('c');
      yield* builder.finish('toolUse', { ...NO_USAGE, input: 5, totalTokens: 5 });
    },
  };
}

const recorder = (provider: Provider, env: NodeJS.ProcessEnv = {}) =>
  recording(provider, { cassette: new CassetteWriter(file), cwd: join(home, 'project'), env });
const player = (match: Match = 'strict', cwd = join(home, 'project'), env: NodeJS.ProcessEnv = {}) =>
  playing({ file, match, cwd, env });

async function collect(
  provider: Provider,
  asked: ModelRequest,
  signal = new AbortController().signal,
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of provider.stream(asked, { signal })) events.push(event);
  return events;
}

async function answer(provider: Provider, asked: ModelRequest): Promise<AssistantMessage> {
  const last = (await collect(provider, asked)).at(-1);
  if (last?.type === 'done') return last.message;
  throw new Error(last?.type === 'error' ? `${last.error.errorMessage} ${last.error.errorNext}` : 'no end');
}

const withoutTime = (message: AssistantMessage) => ({ ...message, timestamp: 0 });

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    const config = { cassette: 'x.jsonl', match: 'strict', target: '' };
    await pluginContract({
      source,
      plugin,
      services: [
        [folders, { config: home, data: home, state: home, cache: home, home, cwd: home }],
        [settingsEngine, { section: async () => config }],
      ],
    });
  });
});

describe('a cassette', () => {
  it('gives back exactly what was recorded: blocks, signatures, usage, deep and wide arguments', async () => {
    const recorded = await answer(recorder(speaker()), request('hello'));
    const events = await collect(player(), request('hello'));
    const last = events.at(-1);
    expect(last?.type === 'done' && withoutTime(last.message)).toEqual(withoutTime(recorded));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'start',
        'thinking_start',
        'thinking_delta',
        'text_delta',
        'toolcall_delta',
        'toolcall_end',
        'done',
      ]),
    );
    const end = events.find((event) => event.type === 'toolcall_end');
    expect(end?.type === 'toolcall_end' && end.toolCall.arguments).toEqual({
      path: 'ä€𝄞.ts',
      deep: [[[[[[[[{ a: 1 }]]]]]]]],
    });
    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
    expect(deltas.join('')).toBe('You said "hello"');
  });

  it('is one line for the head and one for each exchange, and belongs to its owner alone', async () => {
    const tape = recorder(speaker());
    await Promise.all([collect(tape, request('a')), collect(tape, request('b')), collect(tape, request('c'))]);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({ type: 'cassette', version: 1 });
    expect(lines).toHaveLength(4);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await readCassette(file)).map(({ request: { said } }) => said[0]?.content).sort()).toEqual(['a', 'b', 'c']);
  });

  it('holds no secret: not the key, not those of the environment, not what looks like one', async () => {
    const key = 'my-very-own-key-0123456789';
    const env = { SERVICE_TOKEN: 'environment-secret-42' };
    const looks = `ghp_${'a1B2'.repeat(9)}`;
    const said = `use ${env.SERVICE_TOKEN}, ${key} and ${looks}`;
    await collect(recorder(speaker(), env), request(said, { apiKey: key }));
    const text = readFileSync(file, 'utf8');
    for (const secret of [key, env.SERVICE_TOKEN, looks]) expect(text).not.toContain(secret);
    expect(text).toContain('[redacted]');
    // With other secrets on another machine it is still the same request.
    const there = { SERVICE_TOKEN: 'another-secret-entirely' };
    const again = request(said.replace(env.SERVICE_TOKEN, there.SERVICE_TOKEN), { apiKey: key });
    expect((await answer(player('strict', join(home, 'project'), there), again)).stopReason).toBe('toolUse');
  });

  it('keeps failures, with what is known about them', async () => {
    const failing: Provider = {
      async *stream(asked) {
        yield* new AnswerBuilder(asked.model).fail({
          kind: 'rate-limit',
          status: 429,
          retryAfterMs: 5,
          message: 'slow down',
        });
      },
    };
    await collect(recorder(failing), request('x'));
    expect((await collect(player(), request('x'))).at(-1)).toMatchObject({
      type: 'error',
      reason: 'error',
      failure: { kind: 'rate-limit', retryAfterMs: 5 },
    });
  });

  it('does not keep what the user stopped', async () => {
    const stopped: Provider = {
      async *stream(asked) {
        yield* new AnswerBuilder(asked.model).fail({ kind: 'aborted', message: 'stopped' });
      },
    };
    await collect(recorder(stopped), request('x'));
    await expect(readCassette(file)).rejects.toThrow('There is no cassette');
  });

  it('can be read up to a line that a crash tore, and names a line that is broken', async () => {
    await collect(recorder(speaker()), request('a'));
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, `${whole}{"type":"exch`);
    expect(await readCassette(file)).toHaveLength(1);
    writeFileSync(file, `${whole}nonsense\n`);
    await expect(readCassette(file)).rejects.toThrow('Line 3');
    writeFileSync(file, '{"type":"something"}\n');
    await expect(readCassette(file)).rejects.toThrow('not a cassette of version 1');
  });
});

describe('a cassette that cannot be written', () => {
  const unwritable: [string, () => string, string][] = [
    ['because something is in the way', () => (writeFileSync(join(home, 'tapes'), ''), file), 'ENOTDIR'],
    ['because it is a folder', () => home, 'EISDIR'],
    ...(existsSync('/proc/self')
      ? [
          ['because its folder cannot be made', () => '/proc/none/here/x.jsonl', 'ENOENT'] as [
            string,
            () => string,
            string,
          ],
        ]
      : []),
  ];

  it.each(unwritable)('%s ends the call before the model is asked', async (_, prepare, reason) => {
    let count = 0;
    const provider: Provider = { stream: (...call) => (count++, speaker().stream(...call)) };
    const cassette = new CassetteWriter(prepare());
    const [last] = await collect(recording(provider, { cassette, cwd: home, env: {} }), request('hi'));
    expect(last).toMatchObject({
      type: 'error',
      failure: {
        kind: 'bad-request',
        message: expect.stringMatching(new RegExp(`cannot be written: .*${reason}`)),
        next: expect.stringContaining('replay.cassette'),
      },
    });
    expect(count).toBe(0);
  });

  it('any more ends the answer with an error, though the model has given one', async () => {
    const cassette = new CassetteWriter(file);
    const provider: Provider = {
      async *stream(...call) {
        for await (const event of speaker().stream(...call)) {
          if (event.type === 'done') mkdirSync(file);
          yield event;
        }
      },
    };
    const events = await collect(recording(provider, { cassette, cwd: home, env: {} }), request('hi'));
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      failure: { message: expect.stringContaining('EISDIR'), code: 'REPLAY_NOT_WRITTEN' },
      error: { stopReason: 'error', content: [{}, { text: 'You said "hi"' }, {}] },
    });
    expect(events.some(({ type }) => type === 'done')).toBe(false);
  });
});

describe('strict playing', () => {
  it('takes the same request on another day, in another folder, with other ids and times', async () => {
    const call = (id: string, timestamp: number): ModelMessage[] => [
      {
        role: 'assistant',
        content: [{ type: 'toolCall', id, name: 'read', arguments: { b: 1, a: 2 } }],
        api: 'x',
        provider: 'y',
        model: 'z',
        usage: NO_USAGE,
        stopReason: 'toolUse',
        timestamp,
      },
      {
        role: 'toolResult',
        toolCallId: id,
        toolName: 'read',
        content: [{ type: 'text', text: `${home}/project/a.ts at 2025-01-02T03:04:05Z` }],
        isError: false,
        timestamp,
      },
    ];
    await collect(recorder(speaker()), request('go', { messages: [user('go'), ...call('abc', 7)] }));
    const elsewhere = join(tmpdir(), 'quite-another', 'place');
    const later = call('xyz', 99).map((message) =>
      message.role === 'toolResult'
        ? { ...message, content: [{ type: 'text' as const, text: `${elsewhere}/a.ts at 2026-11-12T13:14:15Z` }] }
        : message,
    );
    const asked = request('go', {
      systemPrompt: `Folder: ${elsewhere}. Date: 2026-11-12.`,
      messages: [user('go', 50), ...later],
    });
    expect((await answer(player('strict', elsewhere), asked)).stopReason).toBe('toolUse');
  });

  it.each([
    ['message 1 of 1 is another one', request('goodbye')],
    ['system prompt', request('hello', { systemPrompt: 'You are a poet.' })],
    ['the tools are others', request('hello', { tools: [] })],
    ['tool choice', request('hello', { toolChoice: 'none' })],
    ['message 2 of 2', request('hello', { messages: [user('hello'), user('more')] })],
  ])('refuses a request that was not recorded, and says what is different: %s', async (difference, asked) => {
    const fixed = { systemPrompt: `Folder: ${home}/project. Date: 2025-01-02.` };
    await collect(recorder(speaker()), request('hello', fixed));
    const given = asked.systemPrompt.startsWith('Folder') ? { ...asked, ...fixed } : asked;
    const last = (await collect(player(), given)).at(-1);
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'bad-request' } });
    expect(last?.type === 'error' && last.error.errorMessage).toContain(difference);
    expect(last?.type === 'error' && last.error.errorNext).toContain('TENON_REPLAY_MATCH');
  });

  it('gives the answers to a repeated question in their order', async () => {
    const tape = recorder(speaker((_, count) => `answer ${count}`));
    await collect(tape, request('again?'));
    await collect(tape, request('again?'));
    const play = player();
    const texts = [];
    for (let index = 0; index < 3; index++)
      texts.push((await answer(play, request('again?'))).content.find((block) => block.type === 'text')?.text);
    expect(texts).toEqual(['answer 0', 'answer 1', 'answer 1']);
  });
});

describe('playing by position', () => {
  it('gives the n-th answer to the n-th request, whatever it is, and says when it is over', async () => {
    const tape = recorder(speaker((_, count) => `answer ${count}`));
    await collect(tape, request('one'));
    await collect(tape, request('two'));
    const play = player('position');
    const text = async (says: string) =>
      (await answer(play, request(says))).content.find((block) => block.type === 'text')?.text;
    expect(await text('something')).toBe('answer 0');
    expect(await text('else')).toBe('answer 1');
    await expect(text('more')).rejects.toThrow('has 2 answers');
  });

  it('says what to do when there is no cassette', async () => {
    await expect(answer(player('position'), request('x'))).rejects.toThrow('replay/record');
  });

  it('stops when it is told to', async () => {
    await collect(recorder(speaker()), request('x'));
    const controller = new AbortController();
    controller.abort();
    expect((await collect(player('position'), request('x'), controller.signal)).at(-1)).toMatchObject({
      type: 'error',
      reason: 'aborted',
    });
  });
});

describe('through the whole loop', () => {
  const files = {
    'a.ts': 'export function alpha() {}\nalpha();\n',
    'b.ts': "import { alpha } from './a.ts';\nalpha(); // alpha\n",
  };
  const asked = 'rename alpha to omega and show git status';

  it('records an agent at work and plays it back strictly on a fresh copy of the project', async () => {
    const settings = (target: string) => ({ replay: { cassette: file, target } });
    const extra = ['replay'];
    const first = await openWorkshop(files, { extra, settings: settings('offline/rules'), model: 'replay/record' });
    const recorded = await first.ask(asked);
    const calls = first.calls();
    const after = first.read('b.ts');
    await first.close();
    const second = await openWorkshop(files, { extra, settings: settings(''), model: 'replay/play' });
    expect(await second.ask(asked)).toBe(recorded);
    expect(second.calls()).toEqual(calls);
    expect(second.read('b.ts')).toBe(after);
    expect(after).toBe("import { omega } from './a.ts';\nomega(); // alpha\n");
    await second.close();
  });

  it('says that there is no model to record, and records nothing', async () => {
    const shop = await openWorkshop(files, {
      extra: ['replay'],
      settings: { replay: { cassette: file } },
      model: 'replay/record',
    });
    await expect(shop.ask(asked)).rejects.toThrow('no model to record: `replay.target` is not set');
    await shop.close();
    await expect(readCassette(file)).rejects.toThrow('There is no cassette');
  });
});
