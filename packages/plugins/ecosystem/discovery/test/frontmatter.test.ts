import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, test } from 'vitest';
import { splitFrontmatter } from '../src/frontmatter.ts';

describe('splitting a Markdown file', () => {
  test('gives the data and the text without it', () => {
    const text = '\uFEFF---\r\nname: a\r\ntags: [x, y]\r\n---\r\n\r\nBody\r\n';
    expect(splitFrontmatter(text)).toEqual({ data: { name: 'a', tags: ['x', 'y'] }, body: 'Body' });
  });

  test('a file without frontmatter is all text, also when a line is drawn further down', () => {
    expect(splitFrontmatter('Hello\n\n---\n\nname: a\n')).toEqual({ data: {}, body: 'Hello\n\n---\n\nname: a' });
  });

  test('what other tools accept as a line is accepted, although it is no YAML', () => {
    const text =
      '---\ndescription: Use it: always\nglobs: *.css,*.scss\nargument-hint: [file] [lines]\nlist:\n  - a\n---\n';
    expect(splitFrontmatter(text)).toEqual({
      data: { description: 'Use it: always', globs: '*.css,*.scss', 'argument-hint': '[file] [lines]', list: ['a'] },
      body: '',
    });
  });

  test('what is damaged is reported, and the rest of the keys is kept', () => {
    const { data, problem } = splitFrontmatter('---\nname: kept\nbroken: [a, "b\nlast: 1\n---\nBody');
    expect(data).toEqual({ name: 'kept', last: 1 });
    expect(problem).toMatch(/line \d/);
  });

  test.each([
    ['a programming language', '---js\nglobalThis.ran = 1\n---\n', /"js".*nothing in it is run/],
    ['coffee', '---coffee\nx\n---\n', /only YAML/],
    ['thousands of damaged keys', `---\n${'a: "\n'.repeat(9_000)}---\n`, /./],
    ['thousands of remarks', `---\n${'#'.repeat(9_000)}\n${'# #\n'.repeat(9_000)}"\n---\n`, /./],
    ['no end', '---\nname: a\n', /closing/],
    ['a list', '---\n- a\n- b\n---\n', /key: value/],
    ['a YAML type of its own', '---\na: !!js/function "function () {}"\n---\n', /tag/i],
    [
      'aliases that multiply',
      `---\na: &a [x]\n${'bcdefghi'.replace(/./g, (key, at: number) => `${key}: &${key} [${`*${'abcdefghi'[at]},`.repeat(9)}]\n`)}---\n`,
      /alias/i,
    ],
  ])('%s is a problem and nothing more', (_what, text, problem) => {
    const started = Date.now();
    expect(splitFrontmatter(text).problem).toMatch(problem);
    expect(globalThis).not.toHaveProperty('ran');
    expect(Date.now() - started).toBeLessThan(patientLimit(5_000));
  });

  test('a key named __proto__ is a key', () => {
    const { data } = splitFrontmatter('---\n__proto__: {polluted: true}\nx: a: b\n---\n');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });
});
