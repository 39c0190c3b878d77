import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { checkValue, type JsonSchema } from '../src/index.ts';
import { createCompiler } from '../src/compiler.ts';
import { isPlainlyValid } from '../src/plain.ts';

interface PluginPackage {
  readonly tenon?: { readonly settings?: JsonSchema };
}

const keys = fc.constantFrom('a', 'b', 'c', 'toString', '__x');
const scalars = fc.oneof(
  fc.constantFrom('', 'x', 'yes', '😀', 'long text'),
  fc.integer({ min: -3, max: 5 }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
}));

const { schema: schemas } = fc.letrec<{ schema: JsonSchema; flat: JsonSchema }>((tie) => ({
  flat: fc.oneof(
    fc.record(
      { type: fc.constant('string'), minLength: fc.nat(3), maxLength: fc.nat(6), default: fc.constant('yes') },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constantFrom('number', 'integer'),
        minimum: fc.integer({ min: -2, max: 2 }),
        exclusiveMaximum: fc.constant(4),
        default: fc.constant(1),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constantFrom('boolean', 'null', ['string', 'null']), description: fc.string() }),
    fc.record({ enum: fc.constant(['x', 1, null]) }),
    fc.record({ const: fc.constant('x') }),
    fc.record({ type: fc.constant('string'), pattern: fc.constant('^x|y') }),
    // Left to the compiler.
    fc.record({ not: fc.constant({ type: 'string' }) }),
    fc.constant({}),
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('flat'),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(2) }, { requiredKeys: ['type'] }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(keys, tie('schema'), { maxKeys: 3 }),
        required: fc.uniqueArray(keys, { maxLength: 2 }),
        patternProperties: fc.record({ '^a': tie('flat') }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        default: fc.constant({}),
      },
      { requiredKeys: ['type'] },
    ),
  ),
}));

describe('plain checks', () => {
  it(
    'accepts only what the compiler accepts, and fills in the same defaults',
    () => {
      const compiler = createCompiler();
      let accepted = 0;
      fc.assert(
        fc.property(schemas, values, (schema, value) => {
          const [plain, full] = [structuredClone(value), structuredClone(value)];
          const untouched = structuredClone(value);
          const isValid = compiler.compile(schema)(full);
          if (isPlainlyValid(schema, plain)) {
            accepted++;
            expect(isValid).toBe(true);
            expect(plain).toEqual(full);
          } else {
            expect(plain).toEqual(untouched);
          }
        }),
        { numRuns: caseCount(1_000) },
      );
      expect(accepted).toBeGreaterThan(0);
    },
    patientLimit(300_000),
  );

  it('knows the usual schemas of settings, tools and files without the compiler', () => {
    const schema = {
      type: 'object',
      properties: { mode: { enum: ['a', 'b'], default: 'a' }, limit: { type: 'integer', minimum: 1 } },
      additionalProperties: false,
    };
    const value = { limit: 3 };
    expect(isPlainlyValid(schema, value)).toBe(true);
    expect(value).toEqual({ limit: 3, mode: 'a' });
    expect(isPlainlyValid(schema, { limit: 0 })).toBe(false);
    expect(isPlainlyValid({ ...schema, dependentRequired: {} }, {})).toBe(false);
  });

  it('knows the settings of every built-in plugin, so that starting with defaults loads no compiler', () => {
    const folder = join(dirname(fileURLToPath(import.meta.url)), '../../plugins');
    const withSettings = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name: group }) => readdirSync(join(folder, group)).map((name) => join(group, name)))
      .flatMap((plugin) => {
        const file = join(folder, plugin, 'package.json');
        const manifest = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PluginPackage) : {};
        return manifest.tenon?.settings ? [{ plugin, settings: manifest.tenon.settings }] : [];
      });
    expect(withSettings.length).toBeGreaterThan(20);
    const unknown = withSettings.filter(({ settings }) => !isPlainlyValid(settings, {}));
    expect(unknown.map(({ plugin }) => plugin)).toEqual([]);
  });

  it('says what is wrong once the compiler is there', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(await checkValue(schema, { a: 1 })).toEqual([{ path: 'a', message: 'must be string' }]);
  });
});
