/** Files and patterns for the search suites. */
import fc from 'fast-check';
import type { Tree } from './scan-trees.ts';

const piece = fc.constantFrom(
  'a',
  'b',
  'foo',
  'Foo',
  'bar()',
  '{x}',
  '${v}',
  ' ',
  '\t',
  'é',
  'É',
  'ß',
  'K',
  'ſ',
  '日本',
  '😀',
  '1',
  '٣',
  '_',
  '-',
  '(',
  ')',
  '[',
  '.',
  '\u2028',
  '\r',
  'x'.repeat(30),
);
const line = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
/** Lines with both kinds of ends. */
export const text = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n')), { maxLength: 9 }), line)
  .map(([lines, last]) => lines.map((parts) => parts.join('')).join('') + last);
const content = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: text.map((body) => `\ufeff${body}`) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(`\ufeff${body}`, 'utf16le')) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(`\ufeff${body}`, 'utf16le').swap16()) },
  { weight: 1, arbitrary: text.map((body) => `${body}\0${body}`) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(body, 'latin1')) },
);
/** A tree of small files in all encodings. */
export const files = fc
  .array(fc.tuple(fc.constantFrom('a.ts', 'b.ts', 'c.js', 'd/a.ts', 'd/e/f.md', 'é.ts', 'z'), content), {
    minLength: 1,
    maxLength: 5,
  })
  .map((entries): Tree => Object.fromEntries(entries));

const set = fc.constantFrom(
  '[ab]',
  '[^a]',
  '[a-z]',
  '[^\\w]',
  '[\\d_]',
  '[[:alpha:]]',
  '[[:^space:]x]',
  '[a-z&&[^b]]',
  '[\\w--\\d]',
  '[a-f~~b-z]',
  '[]a]',
  '[-a]',
  '[é-ü]',
  '[^\\s()]',
  '\\pL',
  '\\p{Greek}',
  '\\P{Lu}',
  '\\p{Nd}',
);
const atom = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'a',
      'b',
      'foo',
      'F',
      ' ',
      'é',
      '1',
      '_',
      '日',
      '😀',
      'k',
      's',
      '\\.',
      '\\(',
      '\\t',
      '\\x61',
      '\\u{e9}',
      '-',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('.', '\\w', '\\W', '\\d', '\\s', '\\S', '^', '$', '\\b', '\\B', '\\<', '\\b{end}'),
  },
  { weight: 2, arbitrary: set },
);
const repeated = fc
  .tuple(atom, fc.constantFrom('', '', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '+?', '*?'))
  .map((parts) => parts.join(''));
/** Atoms with repetitions. */
export const sequence = fc.array(repeated, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
/** A pattern that parses. */
export const well = fc.oneof(
  { weight: 6, arbitrary: sequence },
  { weight: 2, arbitrary: fc.tuple(sequence, sequence).map(([left, right]) => `${left}|${right}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('(', '(?:', '(?i:', '(?s:', '(?<n>', '(?x: '),
        sequence,
        fc.constantFrom(')', ')?', ')|b'),
        sequence,
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: sequence.map((body) => `(?i)${body}`) },
  // Repetitions of repetitions: an engine that tries every way to match would not come to an end.
  {
    weight: 1,
    arbitrary: fc
      .tuple(sequence, sequence, fc.constantFrom('*', '+', '*?', '+?', '{2,}', '{0,20}', '{2,20}?'), sequence)
      .map(([left, right, times, rest]) => `(${left}|${right})${times}${rest}`),
  },
);
