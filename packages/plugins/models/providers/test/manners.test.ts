/** Servers that copy a protocol and differ from it: fields left out, null or of a wrong type, unknown events, other ways to write events. */
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import type { AssistantMessage } from '@tenon/models/api';
import { type Answer, type FakeModels, type Protocol, startFakeModels, type WireManners } from '@tenon/model-fakes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, modelOf, providerOf, requestOf } from './harness.ts';

type Json = Record<string, unknown>;
type Path = readonly (string | number)[];

const ANSWER: Answer = {
  content: [
    { type: 'thinking', thinking: 'Let me see what there is.', signature: 'c2lnbmVk' },
    { type: 'text', text: 'I write two files, then I am done.' },
    { type: 'toolCall', id: 'call_a', name: 'write', arguments: { path: 'a.txt', content: 'one\ntwo' } },
    { type: 'toolCall', id: 'call_b', name: 'write', arguments: { path: 'b.txt', content: '' } },
  ],
  deltaSize: 12,
};
const TEXT_ONLY: Answer = { content: [{ type: 'text', text: 'Only words.' }] };

/** Fields without which nobody knows what the model said. Everything else may be anything. */
const SPOKEN: Readonly<Record<string, RegExp>> = {
  'openai-completions':
    /^choices$|^choices\.0$|^choices\.0\.index$|\.delta$|\.content$|\.tool_calls$|\.tool_calls\.0(?:\.index|\.id|\.function)?$|\.function\.(?:name|arguments)$/,
  'openai-responses': /^type$|^item$|^item\.(?:name|type)$|^delta$|^item_id$|^response$/,
  'anthropic-messages':
    /^type$|^content_block$|^content_block\.(?:name|type)$|^delta$|^delta\.(?:type|text|thinking|partial_json)$|^index$/,
  'google-generative-ai':
    /^candidates$|^candidates\.0$|\.content$|\.parts$|\.parts\.0$|\.text$|\.functionCall$|\.functionCall\.(?:name|args)$|\.thought$|\.finishReason$/,
};
const PROTOCOLS = Object.keys(SPOKEN) as Protocol[];

const CHANGES: Readonly<Record<string, (value: unknown) => unknown>> = {
  'left out': () => undefined,
  'as null': () => null,
  'of a wrong type': (value) => (typeof value === 'string' ? 7 : 'wrong'),
};

/** Kept: making one compiles the SDK's schemas. */
const speakers = new Map(PROTOCOLS.map((protocol) => [protocol, providerOf(protocol)]));

let fake: FakeModels;
beforeAll(async () => {
  fake = await startFakeModels();
});
afterAll(() => fake.close());

async function ask(protocol: Protocol, wire: WireManners, answer: Answer = ANSWER) {
  fake.reply({ ...answer, wire });
  return collect(speakers.get(protocol) ?? providerOf(protocol), requestOf(modelOf(protocol, fake)));
}

/** What the model said and wants, without thoughts, ids and costs. */
function meaning({ content }: AssistantMessage): unknown {
  return content.flatMap<unknown>((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'toolCall' ? [{ [block.name]: block.arguments }] : [];
  });
}

function pathsIn(value: unknown, path: Path = []): Path[] {
  const deeper =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, entry]) =>
          pathsIn(entry, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : [];
  // What stands in the arguments of a call is the model's own.
  return path.length === 0 ? deeper : path.at(-1) === 'args' ? [path] : [path, ...deeper];
}

function changed(event: Json, path: Path, change: (value: unknown) => unknown): Json {
  const copy = structuredClone(event);
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Json | undefined)?.[key], copy) as
    | Json
    | undefined;
  const last = path.at(-1);
  if (typeof parent !== 'object' || parent === null || last === undefined || !(last in parent)) return copy;
  const value = change(parent[last]);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** Every field of every kind of event in the answer. */
async function fieldsOf(protocol: Protocol): Promise<{ readonly kind: string; readonly path: Path }[]> {
  const seen = new Map<string, { kind: string; path: Path }>();
  await ask(protocol, {
    change(event) {
      for (const path of pathsIn(event)) seen.set(`${kindOf(event)} ${path.join('.')}`, { kind: kindOf(event), path });
      return [event];
    },
  });
  return [...seen.values()];
}

function kindOf(event: Json): string {
  const inner = (event['item'] ?? event['content_block'] ?? event['delta']) as Json | undefined;
  const type = typeof inner === 'object' ? inner['type'] : '';
  return `${String(event['type'] ?? '')} ${String(type ?? '')}`.trim();
}

describe.each(PROTOCOLS)('a server that copies %s', (protocol) => {
  it.each(Object.entries(CHANGES))(
    'may send every field %s: the answer is the same, or the error names the field',
    async (how, change) => {
      const whole = meaning((await ask(protocol, {})).message);
      const findings: string[] = [];
      const fields = await fieldsOf(protocol);
      expect(fields.length).toBeGreaterThan(15);
      for (const { kind, path } of fields) {
        const { message, last } = await ask(protocol, {
          change: (event) => [kindOf(event) === kind ? changed(event, path, change) : event],
        });
        const name = `${kind} ${path.join('.')}`;
        const isSame = last.type === 'done' && JSON.stringify(meaning(message)) === JSON.stringify(whole);
        if (isSame) continue;
        if (!SPOKEN[protocol]?.test(path.join('.')))
          findings.push(`${name}: ${message.errorMessage ?? 'another answer'}`);
        else if (last.type === 'done' && how === 'of a wrong type') findings.push(`${name}: lost in silence`);
        else if (last.type === 'error' && !isClear(message.errorMessage))
          findings.push(`${name}: ${message.errorMessage}`);
      }
      expect(findings).toEqual([]);
    },
  );

  it('may write its events in any way, and send events and fields that nobody knows', async () => {
    const whole = meaning((await ask(protocol, {})).message);
    const manners = fc.record({
      crlf: fc.boolean(),
      noBlank: fc.boolean(),
      comments: fc.boolean(),
      // The names of events may be missing when the events have a type, and the other way round.
      unnamed: fc.boolean(),
      noDone: fc.boolean(),
      unfinished: fc.boolean(),
      extra: fc.constantFrom(
        undefined,
        { type: 'x.unknown', value: 1 },
        { type: 'ping' },
        { type: 'keepalive', delta: null },
      ),
      writeSize: fc.constantFrom(undefined, 7, 100),
    });
    await fc.assert(
      fc.asyncProperty(manners, async ({ extra, writeSize, ...wire }) => {
        const change = (event: Json) => [
          ...(extra ? [extra] : []),
          { ...event, x_vendor: { of: ['anything', 1, null] } },
        ];
        const { message, last } = await ask(
          protocol,
          { ...wire, change },
          { ...ANSWER, ...(writeSize && { writeSize }) },
        );
        expect(last.type, message.errorMessage).toBe('done');
        expect(meaning(message)).toEqual(whole);
      }),
      { numRuns: caseCount(25) },
    );
  });

  it('may be wrong in several incidental fields at once', async () => {
    const whole = meaning((await ask(protocol, {})).message);
    const fields = (await fieldsOf(protocol)).filter(({ path }) => !SPOKEN[protocol]?.test(path.join('.')));
    const wrong = fc.array(fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...Object.values(CHANGES))), {
      minLength: 2,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(wrong, async (changes) => {
        const change = (event: Json) => [
          changes.reduce((at, [{ kind, path }, how]) => (kindOf(event) === kind ? changed(at, path, how) : at), event),
        ];
        const { message, last } = await ask(protocol, { change });
        expect(last.type, message.errorMessage).toBe('done');
        expect(meaning(message)).toEqual(whole);
      }),
      { numRuns: caseCount(40) },
    );
  });

  it('may say nothing about tokens', async () => {
    const { message, last } = await ask(
      protocol,
      { change: (event) => [without(without(event, 'usage'), 'usageMetadata')] },
      TEXT_ONLY,
    );
    expect(last.type, message.errorMessage).toBe('done');
    expect(message.usage).toMatchObject({ output: 0 });
  });
});

/** An error that names the server and what is wrong with its answer. */
function isClear(message: string | undefined): boolean {
  return /^test\b.*(?:the field `|ended before it was whole|closed before|Expected '|without a name|JSON|cannot be read)/.test(
    message ?? '',
  );
}

function without(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => without(entry, key));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== key);
  return Object.fromEntries(entries.map(([name, entry]) => [name, without(entry, key)]));
}

describe('servers that speak Chat Completions in their own way', () => {
  const chunk = (delta: unknown, finish_reason?: unknown) => ({ choices: [{ index: 0, delta, finish_reason }] });
  /** Sends these chunks and nothing else, then `[DONE]`. */
  const send = async (chunks: readonly unknown[], wire: WireManners = {}) => {
    let sent = false;
    const change = () => (sent ? [] : ((sent = true), chunks));
    return ask('openai-completions', { ...wire, change }, TEXT_ONLY);
  };
  const call = (more: Json, fn: Json) => chunk({ tool_calls: [{ ...more, function: fn }] });

  it.each<[string, readonly unknown[], unknown]>([
    ['no reason to finish, but [DONE]', [chunk({ content: 'Hi' })], ['Hi']],
    [
      'an empty reason in every chunk',
      [chunk({ content: 'H' }, ''), chunk({ content: 'i' }, ''), chunk({}, 'stop')],
      ['Hi'],
    ],
    ['content as parts', [chunk({ content: [{ type: 'text', text: 'Hi' }] }), chunk({}, 'stop')], ['Hi']],
    ['a message in place of a delta', [{ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }], ['Hi']],
    ['a choice without its list', [{ choices: { delta: { content: 'Hi' }, finish_reason: 'stop' } }], ['Hi']],
    ['the role of nobody', [chunk({ role: 'model', content: 'Hi' }), chunk({}, 'stop')], ['Hi']],
    [
      'arguments as an object',
      [call({ index: 0, id: 'a' }, { name: 'write', arguments: { path: 'x' } }), chunk({}, 'tool_calls')],
      [{ write: { path: 'x' } }],
    ],
    [
      'arguments in pieces, without index and id',
      [call({ id: 'a' }, { name: 'write', arguments: '{"pa' }), call({}, { arguments: 'th":"x"}' }), chunk({}, 'stop')],
      [{ write: { path: 'x' } }],
    ],
    [
      'two calls, both with the index 0',
      [
        call({ index: 0, id: 'a' }, { name: 'write', arguments: '{"path":"x"}' }),
        call({ index: 0, id: 'b' }, { name: 'write', arguments: '{"path":"y"}' }),
        chunk({}, 'tool_calls'),
      ],
      [{ write: { path: 'x' } }, { write: { path: 'y' } }],
    ],
    [
      'two calls with neither index nor id',
      [
        call({}, { name: 'write', arguments: '{"path":"x"}' }),
        call({}, { name: 'write', arguments: '{"path":"y"}' }),
        chunk({}, 'tool_calls'),
      ],
      [{ write: { path: 'x' } }, { write: { path: 'y' } }],
    ],
    [
      'name and arguments beside the id',
      [chunk({ tool_calls: [{ id: 'a', name: 'write', arguments: '{"path":"x"}' }] }), chunk({}, 'stop')],
      [{ write: { path: 'x' } }],
    ],
  ])('%s', async (_title, chunks, expected) => {
    const { message, last } = await send(chunks);
    expect(last.type, message.errorMessage).toBe('done');
    expect(meaning(message)).toEqual(expected);
  });

  it('does not take an answer without a reason and without [DONE] for a whole one', async () => {
    const { last } = await send([chunk({ content: 'Hi' })], { noDone: true });
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'network' } });
  });

  it('names the server and the field that cannot be understood', async () => {
    const { message } = await send([chunk({ content: 42 }), chunk({}, 'stop')]);
    expect(message.errorMessage).toBe(
      'test sent what cannot be read: the field `choices[0].delta.content` is a number, not text',
    );
  });

  it('shows the words of an error, whatever its shape', async () => {
    for (const error of ['out of memory', { message: 'out of memory' }, { code: 7, message: 'out of memory' }])
      expect((await send([{ error }])).message.errorMessage).toContain('out of memory');
  });
});
