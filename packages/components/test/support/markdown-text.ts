import fc from 'fast-check';

/** Lines that begin, continue or end blocks, and lines that only look as if they did. */
const LINES = [
  '',
  '',
  '',
  '  ',
  '\t',
  'plain words here',
  'a *b* **c** `d` ~~e~~',
  '# heading',
  ' ## heading two ##',
  '#no heading',
  '- item',
  '- item two',
  '* star',
  '+ plus',
  '1. one',
  '2. two',
  '7) seven',
  '  - nested',
  '    - deeper',
  '   three in',
  '    four in',
  '\ttab in',
  '> quote',
  '> > nested quote',
  '> - quoted item',
  '>',
  '```',
  '```ts',
  '````',
  '~~~',
  ' ```',
  '  ```py',
  '   ```',
  '    ```',
  '> ```',
  '- ```',
  '---',
  '===',
  '* * *',
  '- - -',
  '___',
  '| a | b |',
  '|---|:-:|',
  'a | b',
  '- | -',
  '| c | d |',
  '<div>',
  '</div>',
  '<!-- note',
  '-->',
  '<pre>',
  '<a href="x">',
  '- [ ] task',
  '- [x] done',
  '-',
  '1.',
  'lazy line',
  'word **open',
  'see [ref] and [text][ref]',
  'https://example.com/a_b_c and <https://x.y>',
  '![alt](http://i.mg/x.png "t")',
  '[l](javascript:alert(1)) [m](mailto:a@b.c)',
  '日本語の文 と 👩‍👩‍👧 🇩🇪',
  'back\\',
  'two spaces  ',
  '[^1]: note',
  '&amp; &#27;[31m &lt;',
];

const LISTS = [
  '',
  '',
  'plain words here',
  '   three in',
  '1. one',
  '1. other',
  '2. two',
  '- item',
  '  - nested',
  '# heading',
  '```',
];
const FENCES = [
  '',
  '',
  'plain words here',
  '- item',
  '```',
  ' ```',
  '  ```py',
  '````',
  '~~~',
  '# heading',
  '    four in',
];

/** Few different lines in a text, so that they meet each other often. */
function textOf(line: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> {
  const few = fc.array(line, { minLength: 2, maxLength: 7 }).map((lines) => [...lines, '', '']);
  return fc
    .oneof(few, fc.constantFrom(LISTS, FENCES))
    .chain((pool) => fc.array(fc.constantFrom(...pool), { maxLength: 16, size: 'max' }));
}

/** Text out of such lines. */
export const markdownText = textOf(
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...LINES) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  ),
).map((lines) => lines.join('\n'));

const SIGNS = [...'*_`[]()<>|~!#- a\\&:'];

/** The same with definitions of links, and with sequences that must not reach a terminal. */
export const hostileText = textOf(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...LINES) },
    fc.constantFrom('[ref]: https://ref.example', '[ref]: /x "t"', '[ref]:', '"title"'),
    fc.constantFrom(
      '\x1b[31mred',
      '\x1b]8;;http://x\x07l\x1b]8;;\x07',
      'a\x1b[2Jb',
      '\x9b31m',
      '\x00',
      'a\rb',
      'c\r',
      '\x1b]0;t',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({ unit: fc.constantFrom(...SIGNS) }),
  ),
).chain((lines) => fc.constantFrom('\n', '\r\n').map((feed) => lines.join(feed)));
