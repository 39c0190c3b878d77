import { execFileSync } from 'node:child_process';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problemsOf } from '../src/definition.ts';
import { commandLine } from '../src/shell-text.ts';
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

const refuse = (path: string): never => {
  throw new Error(`unsafe ${path}`);
};
const line = (command: string, v: string) => commandLine(command, { v }, { missing, unsafe: refuse });
const run = (command: string) => execFileSync('sh', ['-c', command], { encoding: 'utf8' });

test.each([
  ['printf %s {{v}}', ''],
  ['printf %s "{{v}}"', ''],
  ["printf %s '{{v}}'", ''],
  ['printf %s x{{v}}"y z"', 'x|y z'],
  [`printf %s "it's {{v}} \\" $((1+1)) \${HOME:+b} '"`, `it's | " 2 b '`],
  ['printf %s "$(printf %s {{v}}; printf %s ".")"', '|.'],
  ['printf %s "$(printf %s "<{{v}}>"; (printf %s ")"))"', '<|>)'],
  ['# it is "quoted\nprintf %s {{v}}', ''],
  ['case a in a) printf %s "{{v}}";; esac', ''],
])('whatever a value is, it is text in %s', (command, around) => {
  const [before = '', behind = ''] = around.split('|');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
        fc.constantFrom(
          '$(echo bad)',
          '`echo bad`',
          "'; echo bad; '",
          '"; echo bad; "',
          '\\',
          "\\'",
          ') echo bad',
          '\necho bad',
        ),
      ),
      (value) => {
        expect(run(line(command, value))).toBe(before + value + behind);
      },
    ),
    { numRuns: caseCount(25) },
  );
});

test.each([
  'cat <<END\n{{v}}\nEND',
  'echo `echo {{v}}`',
  'echo "`echo {{v}}`"',
  'echo \\{{v}}',
  'echo "\\{{v}}"',
  'echo ${{v}}',
  'echo $((1 + {{v}}))',
  'echo ${x:-{{v}}}',
  'true # {{v}}',
  `echo "\${x:-'}" {{v}}`,
  `echo $'\\'' {{v}}`,
  'echo "$(case a in a) echo;; esac; echo {{v}})"',
])('a value may not stand in %s', async (command) => {
  expect(() => line(command, 'x')).toThrow('unsafe v');
  expect((await problemsOf({ name: 'x', nodes: [{ id: 'a', command }] })).join()).toContain(
    'where sh could read its value',
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
    ['inputs.fix == "yes or no"', false],
    ["inputs.fix == 'a and b' or tests.code == 2", true],
  ])('%s is %s', (condition, expected) => expect(holds(condition, values)).toBe(expected));
});
