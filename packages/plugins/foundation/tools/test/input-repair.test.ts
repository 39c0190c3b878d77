import { loadSchemaCompiler, Type } from '@tenon/kernel';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkInput } from '../src/input-check.ts';
import { inputShape } from '../src/input-shape.ts';
import { parseLiteral, unwrapText } from '../src/lenient-literal.ts';

beforeAll(() => loadSchemaCompiler());

const parameters = Type.Object(
  {
    file_path: Type.String({ minLength: 1 }),
    paths: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    count: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
    ratio: Type.Optional(Type.Number()),
    deep: Type.Optional(Type.Boolean()),
    action: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['apply', 'discard_all', 'Keep'] })),
    edits: Type.Optional(
      Type.Array(
        Type.Object({ startLine: Type.Integer(), text: Type.Optional(Type.String()) }, { additionalProperties: false }),
      ),
    ),
    either: Type.Optional(Type.Union([Type.Integer(), Type.Array(Type.Integer())])),
  },
  { additionalProperties: false },
);

/** Values that the schema accepts, with texts that look like what repairs look for. */
const trickyText = fc.oneof(
  fc.string(),
  fc.constantFrom('true', '12', '["a"]', '{"a": 1}', '"quoted"', 'null', '```\ncode\n```', "['x']"),
);
const valid = fc.record(
  {
    file_path: trickyText.filter((text) => text !== ''),
    paths: fc.array(trickyText, { minLength: 1, maxLength: 3 }),
    count: fc.integer({ min: 0, max: 1000 }),
    ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
    deep: fc.boolean(),
    action: fc.constantFrom('apply', 'discard_all', 'Keep'),
    edits: fc.array(fc.record({ startLine: fc.integer(), text: trickyText }, { requiredKeys: ['startLine'] }), {
      maxLength: 3,
    }),
    either: fc.oneof(fc.integer(), fc.array(fc.integer())),
  },
  { requiredKeys: ['file_path'] },
);

const check = (input: unknown, risk: 'read' | 'write' = 'read') => checkInput({ parameters }, 'sample', input, risk);
const repaired = async (input: unknown, risk?: 'read' | 'write') => {
  const checked = await check(input, risk);
  if ('problem' in checked) throw new Error(checked.problem);
  return checked;
};

describe('repairing input', () => {
  it('never changes input that is valid', async () => {
    await fc.assert(
      fc.asyncProperty(valid, async (input) => {
        const before = structuredClone(input);
        expect(await check(input)).toEqual({ input: before, repairs: [] });
        expect(input).toEqual(before);
      }),
    );
  });

  it('gives back what was meant when lists, objects, numbers and truth values come as text', async () => {
    await fc.assert(
      fc.asyncProperty(valid, fc.boolean(), async (input, isFenced) => {
        const asText = (value: unknown) =>
          isFenced ? `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` : JSON.stringify(value);
        const broken = Object.fromEntries(
          Object.entries(input).map(([key, value]) => [key, typeof value === 'string' ? value : asText(value)]),
        );
        // -0 has no text of its own.
        expect((await repaired(broken)).input).toEqual(JSON.parse(JSON.stringify(input)));
      }),
    );
  });

  it('finds keys whatever their case', async () => {
    await fc.assert(
      fc.asyncProperty(valid, fc.constantFrom('upper', 'camel', 'kebab'), async (input, style) => {
        const rename = (key: string) =>
          style === 'upper'
            ? key.toUpperCase()
            : style === 'kebab'
              ? key.replaceAll('_', '-')
              : key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
        const broken = Object.fromEntries(Object.entries(input).map(([key, value]) => [rename(key), value]));
        expect((await repaired(broken)).input).toEqual(input);
      }),
    );
  });

  it.each([
    ['a single item for a list', { file_path: 'a', paths: 'src' }, { file_path: 'a', paths: ['src'] }, /list of one/],
    ['a list of Python', { file_path: 'a', paths: "['x', 'y',]" }, { file_path: 'a', paths: ['x', 'y'] }, /as a list/],
    [
      'another case of a choice',
      { file_path: 'a', action: 'Discard-All' },
      { file_path: 'a', action: 'discard_all' },
      /"discard_all"/,
    ],
    ['quotes around a choice', { file_path: 'a', action: '"apply"' }, { file_path: 'a', action: 'apply' }, /"apply"/],
    ['null for what is optional', { file_path: 'a', count: null }, { file_path: 'a' }, /count was null/],
    ['a key that nobody knows', { file_path: 'a', verbose: true }, { file_path: 'a' }, /verbose is not a parameter/],
    [
      'a key that nobody knows, further in',
      { file_path: 'a', edits: [{ start_line: '3', note: 'x' }] },
      { file_path: 'a', edits: [{ startLine: 3 }] },
      /edits\.0\.startLine/,
    ],
    ['input inside of "arguments"', { arguments: { file_path: 'a' } }, { file_path: 'a' }, /wrapped in "arguments"/],
    ['input as text', '{"file_path": "a"}', { file_path: 'a' }, /the input was text/],
    ['a number for a text', { file_path: 7 }, { file_path: '7' }, /read as text/],
    [
      'one object for a list',
      { file_path: 'a', edits: { startLine: 1 } },
      { file_path: 'a', edits: [{ startLine: 1 }] },
      /list of one/,
    ],
    [
      'text for one of several types',
      { file_path: 'a', either: '[1, 2]' },
      { file_path: 'a', either: [1, 2] },
      /as a list/,
    ],
    ['yes for true', { file_path: 'a', deep: 'Yes' }, { file_path: 'a', deep: true }, /read as true/],
  ])('understands %s and says so', async (_, given, meant, note) => {
    const { input, repairs } = await repaired(given);
    expect(input).toEqual(meant);
    expect(repairs.join('; ')).toMatch(note);
  });

  it('keeps a key that asks for something where the tool changes things', async () => {
    expect(await check({ file_path: 'a', dryRun: true }, 'write')).toMatchObject({
      problem: expect.stringContaining('unknown key "dryRun"'),
    });
    expect((await repaired({ file_path: 'a', dryRun: false, explanation: 'why' }, 'write')).input).toEqual({
      file_path: 'a',
    });
  });

  it.each([
    ['a number out of its range', { file_path: 'a', count: '5000' }, /count: must be/],
    ['half a list', { file_path: 'a', edits: '[{"startLine": 1' }, /edits: must be array/],
    ['two spellings of one key', { FILE_PATH: 'a', 'file-path': 'b' }, /lacks the key "file_path"/],
    ['no object', [1], /must be a JSON object/],
  ])('refuses %s and shows the shape', async (_, given, problem) => {
    const checked = await check(given);
    expect(checked).toMatchObject({ problem: expect.stringMatching(problem) });
    expect(checked).toMatchObject({ problem: expect.stringContaining('{ file_path: string, paths?: string[]') });
  });

  it('survives any input', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (input) => {
        const checked = await check(input).catch((fault: unknown) => {
          // What cannot be copied cannot have come from a model.
          expect(fault).toBeInstanceOf(DOMException);
          return { problem: '' };
        });
        expect('problem' in checked || 'input' in checked).toBe(true);
      }),
    );
  });

  it('follows references inside of a schema', async () => {
    const schema = {
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' } },
      required: ['node'],
      $defs: {
        node: {
          type: 'object',
          properties: { size: { type: 'integer' }, next: { $ref: '#/$defs/node' } },
          additionalProperties: false,
        },
      },
    };
    const given = { node: '{"size": "3", "next": {"Size": "4"}}' };
    expect(await checkInput({ parameters: schema }, 'tree', given, 'read')).toMatchObject({
      input: { node: { size: 3, next: { size: 4 } } },
    });
  });
});

describe('values as text', () => {
  it('reads what JSON writes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        const text = JSON.stringify(value);
        expect(parseLiteral(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ["{'a': True, 'b': None, c: [1, .5, -2e3,],}", { a: true, b: null, c: [1, 0.5, -2000] }],
    [String.raw`['it\'s', "\u00e9\n"]`, ["it's", 'é\n']],
    ['[1 2]', undefined],
    ['[a]', undefined],
    ['{"a": }', undefined],
    ["['open", undefined],
    ['plain', undefined],
  ])('reads %s', (text, value) => expect(parseLiteral(text)).toEqual(value));

  it('takes one pair of quotes or a fence off, and nothing else', () => {
    expect(unwrapText('```json\n[1]\n```')).toBe('[1]');
    expect(unwrapText('"a"')).toBe('a');
    expect(unwrapText('"a", "b"')).toBe('"a", "b"');
  });
});

describe('the shape of an input', () => {
  it('is one line that a model can follow', () => {
    expect(inputShape(parameters)).toBe(
      '{ file_path: string, paths?: string[], count?: integer, ratio?: number, deep?: boolean, ' +
        'action?: "apply" | "discard_all" | "Keep", edits?: { startLine: integer, text?: string }[], either?: integer | integer[] }',
    );
  });
});
