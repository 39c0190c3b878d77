/** What is inside and outside of nodes in deeply nested code, beside the ast-grep program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';
import type { Rule, SyntaxMatch } from '../src/syntax/contract.ts';
import { askProgramRules, describeOurs, describeTheirs } from './ast-grep-program.ts';

const available = await implementations('syntax');

const WRAPPED: readonly ((inner: string) => string)[] = [
  (inner) => `f(${inner})`,
  (inner) => `g(${inner})`,
  (inner) => `h(${inner}, "s")`,
  (inner) => `h(g(1), ${inner})`,
  (inner) => `f([${inner}, x])`,
  (inner) => `(() => { ${inner}; g(2); })()`,
];
const wrapped = fc.constantFrom(...WRAPPED);
const leaf = fc.constantFrom('x', '"s"', '1', 'g(1)', 'f("t")');
/** So deep that a rule which looks through all of it from each node looks at more nodes than the text has. */
const deep = fc
  .tuple(leaf, fc.array(wrapped, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 40 }))
  .map(([inner, layers, times]) => {
    const all = Array.from({ length: times }, () => layers).flat();
    return all.reduce<string>((text, layer) => layer(text), inner);
  });
const program = fc
  .array(deep, { minLength: 1, maxLength: 3 })
  .map((expressions) => expressions.map((text) => `${text};\n`).join(''));

const NODES: readonly Rule[] = [
  { pattern: 'f($A)' },
  { pattern: 'g($A)' },
  { pattern: 'g($B)' },
  { kind: 'string' },
  { kind: 'array' },
  { kind: 'statement_block' },
  { pattern: 'h($$$C)' },
  { regex: '^nowhere$' },
];
const node = fc.constantFrom(...NODES);
const reach = fc.oneof({ weight: 3, arbitrary: fc.constant('end' as const) }, { weight: 2, arbitrary: node });
const relation = fc.constantFrom('inside' as const, 'has' as const);
const related = fc
  .tuple(relation, node, reach, fc.option(fc.tuple(relation, node, reach), { freq: 3 }))
  .map(([kind, found, stopBy, more]): Rule => {
    const further = more ? { [more[0]]: { ...more[1], stopBy: more[2] } } : {};
    return { [kind]: { ...found, ...further, stopBy } };
  });
const OWN: readonly Rule[] = [{ pattern: 'f($A)' }, { kind: 'call_expression' }, { kind: 'identifier' }];
const rule = fc
  .tuple(fc.constantFrom(...OWN), related, fc.boolean())
  .map(([own, around, negated]): Rule => (negated ? { ...own, not: around } : { ...own, ...around }));

describe('what is around nodes', () => {
  it(
    'is what ast-grep finds there',
    async () => {
      const folder = temporaryFolder('around');
      let matched = 0;
      await fc.assert(
        fc.asyncProperty(program, fc.array(rule, { minLength: 4, maxLength: 8 }), async (content, rules) => {
          writeFileSync(join(folder, 'a.js'), content);
          const theirs = askProgramRules(rules, 'javascript', folder);
          for (const [at, asked] of rules.entries()) {
            const expected = (theirs.get(at) ?? []).map(describeTheirs).toSorted();
            matched += expected.length;
            for (const { kind, implementation } of available) {
              const sources = [{ path: 'a.js', content }];
              const { matches, issues } = await implementation.search({ sources, rules: [asked], limit: 1_000_000 });
              expect(issues).toEqual([]);
              expect(matches.map(describeOurs).toSorted(), `${kind}: ${JSON.stringify(asked)}`).toEqual(expected);
            }
          }
        }),
        { numRuns: caseCount(10) },
      );
      expect(matched).toBeGreaterThan(0);
    },
    patientLimit(240_000),
  );

  it.each(available)('is found without looking at all of it for each node, $kind', async ({ implementation }) => {
    // Each of these would look at about a hundred million nodes, which is more than a search may.
    const content = `${'f('.repeat(3_000)}${')'.repeat(3_000)};\n`;
    const string: Rule = { kind: 'string' };
    const ask = async (asked: Rule): Promise<readonly SyntaxMatch[]> => {
      const { matches, issues } = await implementation.search({
        sources: [{ path: 'a.js', content }],
        rules: [asked],
        limit: 10_000,
      });
      expect(issues).toEqual([]);
      return matches;
    };
    const call = { kind: 'call_expression', stopBy: 'end' as const };
    const calls = 3_000;
    expect(await ask({ kind: 'call_expression', has: { ...call, has: { ...string, stopBy: 'end' } } })).toEqual([]);
    expect(await ask({ kind: 'call_expression', inside: { ...call, inside: { ...string, stopBy: 'end' } } })).toEqual(
      [],
    );
    const ends = await ask({ kind: 'call_expression', not: { inside: { kind: 'string', stopBy: 'end' } } });
    expect(ends).toHaveLength(calls);
    expect(await ask({ kind: 'call_expression', not: { has: call } })).toHaveLength(1);
  });
});
