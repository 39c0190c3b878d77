import { expect, test } from 'vitest';
import { tokensOf } from '../src/page/views/markdown-tokens.ts';

test.each([
  ['quotes', '>'.repeat(5_000)],
  ['emphasis', `${'*'.repeat(3_000)}a${'*'.repeat(3_000)}`],
  ['lists', Array.from({ length: 1_000 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n')],
  ['marks in one line', '- '.repeat(2_000)],
])('%s without end are shown as they were written', (_, text) => {
  expect(tokensOf(text)).toEqual([{ type: 'code', raw: text, text }]);
});

test('what people write is Markdown', () => {
  const text = `# Title\n\n${'-'.repeat(100)}\n\n> > quoted\n\n- a\n  - b\n    - **c**\n\n| a |\n|${'-'.repeat(90)}|\n| b |\n`;
  expect(tokensOf(text).map(({ type }) => type)).toEqual([
    'heading',
    'space',
    'hr',
    'space',
    'blockquote',
    'space',
    'list',
    'space',
    'table',
  ]);
});
