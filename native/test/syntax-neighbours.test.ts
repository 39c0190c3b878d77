/** What comes before and after a statement, in lists of any length, held against a model of such lists. */
import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';
import type { Rule } from '../src/syntax/contract.ts';

interface Statement {
  readonly name: string;
  readonly value: number;
}

const statement = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.nat(2) });
const question = fc.record({
  statements: fc.array(statement, { maxLength: 120, size: 'max' }),
  relation: fc.constantFrom('follows' as const, 'precedes' as const),
  /** The neighbour has the same value. */
  same: fc.boolean(),
  /** Statements behind a `c` do not count. */
  until: fc.boolean(),
  negated: fc.boolean(),
  nested: fc.boolean(),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

function codeOf({ statements, nested }: Question): string {
  const lines = statements.map(({ name, value }) => `${name}(${value});\n`).join('// what follows\n');
  return nested ? `function f() {\n${lines}}\nb(0);\n` : lines;
}

function ruleOf({ relation, same, until, negated }: Question): Rule {
  const stopBy = until ? { pattern: 'c($C);' } : ('end' as const);
  const related: Rule = { [relation]: { pattern: same ? 'b($A);' : 'b($B);', stopBy } };
  return { pattern: 'a($A);', ...(negated ? { not: related } : related) };
}

/** Each `a` that fits, and the value of its neighbour. */
function expected({ statements, relation, same, until, negated }: Question): (readonly [number, number?])[] {
  return statements.flatMap((own, at) => {
    if (own.name !== 'a') return [];
    const others: readonly Statement[] =
      relation === 'follows' ? statements.slice(0, at).toReversed() : statements.slice(at + 1);
    const found = others.find(
      ({ name, value }) => (name === 'b' && (!same || value === own.value)) || (until && name === 'c'),
    );
    const neighbour = found?.name === 'b' ? found : undefined;
    if (negated) return neighbour === undefined ? [[own.value] as const] : [];
    if (neighbour === undefined) return [];
    return [same ? ([own.value] as const) : ([own.value, neighbour.value] as const)];
  });
}

describe.each(await implementations('syntax'))('neighbours in a long list, $kind', ({ implementation }) => {
  it(
    'are the closest ones that fit',
    async () => {
      let matched = 0;
      const numRuns = caseCount(400);
      await fc.assert(
        fc.asyncProperty(question, async (asked) => {
          const { matches, issues } = await implementation.search({
            sources: [{ path: 'a.js', content: codeOf(asked) }],
            rules: [ruleOf(asked)],
          });
          expect(issues).toEqual([]);
          matched += matches.length > 0 ? 1 : 0;
          const found = matches.map(({ captures }) =>
            captures.map((capture) => ('text' in capture ? Number(capture.text) : undefined)),
          );
          expect(found).toEqual(expected(asked));
        }),
        { numRuns },
      );
      expect(matched).toBeGreaterThan(numRuns / 4);
    },
    patientLimit(120_000),
  );

  it('give way to a finding when a rule looks around without end', async () => {
    const content = `${'f(x, '.repeat(500)}g(y)${')'.repeat(500)};\n`;
    // What `$A` stands for is another thing for each node that asks, so nothing can be remembered.
    const bound = { pattern: 'g($A)', stopBy: 'end' as const };
    const inner = { kind: 'call_expression', stopBy: 'end' as const, has: bound };
    const { matches, issues } = await implementation.search({
      sources: [
        { path: 'a.js', content },
        { path: 'b.js', content: 'f(x, h(g(x)));\n' },
      ],
      rules: [{ pattern: 'f($A, $$$B)', has: inner }],
    });
    expect(matches.map(({ path }) => path)).toEqual(['b.js']);
    expect(issues).toEqual([
      { kind: 'gave-up', language: 'javascript', path: 'a.js', message: expect.stringContaining('nearer `stopBy`') },
    ]);
  });
});
