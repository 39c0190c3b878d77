/** The regular expressions of rules: the dialect of Rust's regex crate in every implementation, in time that grows with the text alone. */
import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';

const available = await implementations('syntax');
type Implementation = (typeof available)[number]['implementation'];

/** The comments that a rule finds, or the kinds of its issues. */
async function ask(implementation: Implementation, regex: string, comments: readonly string[]): Promise<unknown> {
  const content = comments.map((comment) => `/*${comment}*/ x();`).join('\n');
  const sources = [{ path: 'a.js', content }];
  const { matches, issues } = await implementation.search({ sources, rules: [{ kind: 'comment', regex }] });
  return issues.length > 0 ? issues.map(({ kind }) => kind) : matches.map(({ text }) => text.slice(2, -2));
}

const CASES: readonly (readonly [regex: string, comments: readonly string[], found: readonly string[]])[] = [
  // Borders are those of the text, unless a flag says otherwise.
  ['^a', ['a', 'b\na'], []],
  [String.raw`^/\*a`, ['a', 'b\na'], ['a']],
  [String.raw`b\*/$`, ['a b', 'b\na'], ['a b']],
  ['(?m)^a$', ['x\na\nb', 'x\na\r\nb', 'a'], ['x\na\nb']],
  ['(?mR)^a$', ['x\na\nb', 'x\na\r\nb', 'a'], ['x\na\nb', 'x\na\r\nb']],
  ['(?m:^a)(?-m:b)', ['\nab', 'cab'], ['\nab']],
  // The dot stops at line feeds only.
  ['a.b', ['a\rb', 'a\nb', 'a\u2028b'], ['a\rb', 'a\u2028b']],
  ['(?s)a.b', ['a\nb'], ['a\nb']],
  ['(?i)todo', ['ToDo', 'done'], ['ToDo']],
  [String.raw`\A/\*\w+\*/\z`, ['über', 'a b'], ['über']],
  [String.raw`\d{2}`, ['٣٤', '1'], ['٣٤']],
  ['(?x) a b # both', ['ab', 'a b'], ['ab']],
  [String.raw`\p{Greek}`, ['α', 'a'], ['α']],
  ['', ['a'], ['a']],
];

describe.each(available)('regular expressions of rules, $kind', ({ implementation }) => {
  it.each(CASES)('%j', async (regex, comments, found) => {
    expect(await ask(implementation, regex, comments)).toEqual(found);
  });

  it.each(['(?=a)', '(a)\\1', '(', '[b-a]', 'a{2,1}', '*'])('refuses %j', async (regex) => {
    expect(await ask(implementation, regex, ['a'])).toEqual(['pattern']);
  });

  it.each(['(a|a)*b', '(a*)*b', '(?:a+)+$', '(a|b|ab)*c'])('ends %j on a text that does not match', async (regex) => {
    expect(await ask(implementation, regex, ['a'.repeat(5_000)])).toEqual([]);
  });
});

describe.skipIf(available.length < 2)('regular expressions of rules in all implementations', () => {
  it('find the same', async () => {
    const atoms = [
      'a',
      'b',
      '.',
      '^',
      '$',
      '[ab]',
      '[^a]',
      '\\n',
      '\\s',
      '\\b',
      '\\w',
      '\\r',
      'é',
      '\\A',
      '\\z',
      '\\S',
      '\\/',
      '\\*',
    ];
    const atom = fc.constantFrom(...atoms);
    const part = fc.tuple(atom, fc.constantFrom('', '', '', '*', '+?', '?', '{2}')).map((pair) => pair.join(''));
    const flags = fc.constantFrom('', '', '(?i)', '(?m)', '(?s)', '(?mR)', '(?R)', '(?m-s)');
    const branch = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
    const regex = fc.tuple(flags, branch, fc.option(branch)).map(([set, one, two]) => {
      return set + (two === null ? one : `(?:${one}|${two})`);
    });
    const letter = fc.constantFrom('a', 'b', 'A', '\n', '\r', '\r\n', ' ', 'é', '_', '😀');
    const comment = fc.array(letter, { maxLength: 6 }).map((letters) => letters.join(''));
    const run = fc.asyncProperty(regex, fc.array(comment, { minLength: 1, maxLength: 6 }), async (source, comments) => {
      const answers = await Promise.all(available.map(({ implementation }) => ask(implementation, source, comments)));
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    });
    await fc.assert(run, { numRuns: caseCount(300) });
  });
});
