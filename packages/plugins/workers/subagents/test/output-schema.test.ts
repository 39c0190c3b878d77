import { checkSchema, loadSchemaCompiler } from '@tenon/kernel';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { outcomeOf } from '../src/outcome.ts';
import { outputSchema } from '../src/output-schema.ts';
import { tailOf } from '../src/report.ts';

const from = (schema: unknown) => outputSchema([{ schema, source: 'the test' }]);
const result = {
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  toolCount: 0,
};

beforeAll(() => loadSchemaCompiler());

describe('the schema of a result', () => {
  it('is taken from the first place that has one', async () => {
    const schema = await outputSchema([
      { schema: undefined, source: 'a' },
      { schema: { type: 'string' }, source: 'b' },
      { schema: { type: 'number' }, source: 'c' },
    ]);
    expect(schema).toEqual({ type: 'string' });
  });

  it('may be JSON text', async () => {
    expect(await from('{"type":"array"}')).toEqual({ type: 'array' });
    await expect(from('{"type":')).rejects.toThrow(/no JSON Schema/);
    await expect(from(7)).rejects.toThrow(/it is not an object/);
  });

  it('may be a JSON Type Definition', async () => {
    const schema = await from({
      properties: {
        verdict: { enum: ['yes', 'no'] },
        findings: {
          elements: { properties: { line: { type: 'uint32' } }, optionalProperties: { note: { type: 'string' } } },
        },
        counts: { values: { type: 'float64' } },
      },
      optionalProperties: { when: { type: 'timestamp', nullable: true } },
    });
    const good = { verdict: 'yes', findings: [{ line: 3, note: 'x' }], counts: { a: 1.5 }, when: null };
    expect(checkSchema(schema ?? {}, good)).toEqual([]);
    expect(checkSchema(schema ?? {}, { ...good, findings: [{ line: 'x' }] })).not.toEqual([]);
    expect(checkSchema(schema ?? {}, { ...good, extra: 1 })).not.toEqual([]);
    expect(checkSchema(schema ?? {}, { findings: [], counts: {} })).not.toEqual([]);
  });

  it('may have a name and a dialect, again and again', async () => {
    const named = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.org/x',
      type: 'array',
    };
    for (let times = 0; times < 2; times++) {
      const schema = await from(named);
      expect((await outcomeOf({ ...result, answer: '[1]' }, schema)).status).toBe('completed');
    }
  });

  it('is left alone when it is JSON Schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(await from(schema)).toEqual(schema);
  });
});

describe('the last answer of a subagent', () => {
  it('gives its JSON wherever that stands', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ n: fc.integer(), text: fc.string(), list: fc.array(fc.string()) }),
        fc.constantFrom('bare', 'fenced', 'in words'),
        async (data, where) => {
          const json = JSON.stringify(data);
          const answer = {
            bare: json,
            fenced: `Done.\n\`\`\`json\n${json}\n\`\`\`\nBye`,
            'in words': `It is ${json} as asked`,
          }[where];
          const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
          const outcome = await outcomeOf({ ...result, answer }, schema);
          expect(outcome.status).toBe('completed');
          expect(JSON.parse(outcome.output)).toEqual(data);
        },
      ),
    );
  });
});

describe('the end of a text', () => {
  it('never is longer than allowed, and always is its end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 4, max: 200 }), (text, max) => {
        const end = tailOf(text, max);
        expect(Buffer.byteLength(end)).toBeLessThanOrEqual(Math.max(max, 0));
        expect(text.endsWith(end)).toBe(true);
      }),
    );
  });
});
