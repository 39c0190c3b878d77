import { execFileSync } from 'node:child_process';
import { shellWord } from '@tenon/wording';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filled, holds, valueAt } from '../src/expressions.ts';

const missing = (path: string): never => {
  throw new Error(`missing ${path}`);
};

test('a path leads only through own properties', () => {
  const values = { a: { b: [{ c: 1 }] } };
  expect(valueAt(values, 'a.b.0.c')).toBe(1);
  for (const path of ['a.x', 'constructor', 'a.__proto__', 'a.b.length.x', 'toString', ''])
    expect(valueAt(values, path)).toBeUndefined();
});

test('whatever a value is, in a command line it is one word', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
      (value) => {
        const command = filled('printf %s {{v}}', { v: value }, { quote: shellWord, missing });
        expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' })).toBe(value);
      },
    ),
    { numRuns: 40 },
  );
});

test('what is not there is an error, not an empty text', () => {
  expect(() => filled('{{ nothing.here }}', {}, { missing })).toThrow('missing nothing.here');
  expect(filled('{{a}} {{ b.c }}', { a: [1], b: { c: 'x' } }, { missing })).toBe('[1] x');
});

describe('conditions', () => {
  const values = { tests: { code: 2, state: 'failed', list: ['a'] }, inputs: { fix: 'yes', off: 'no', empty: '' } };
  test.each([
    ['tests.code != 0', true],
    ['tests.code == 2', true],
    ['tests.code > 1 and inputs.fix', true],
    ['tests.code > 2 or inputs.fix == "yes"', true],
    ['not inputs.off', true],
    ['inputs.empty', false],
    ['nothing', false],
    ['not nothing', true],
    ['tests.list contains "a"', true],
    ['tests.state contains "fail"', true],
    ["tests.state == 'passed'", false],
    ['inputs.empty == ""', true],
  ])('%s is %s', (condition, expected) => expect(holds(condition, values)).toBe(expected));
});
