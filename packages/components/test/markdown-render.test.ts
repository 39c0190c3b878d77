import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { loadAccelerator } from '@tenon/native';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../src/content/markdown.ts';
import type { MarkdownStyle } from '../src/content/markdown-style.ts';
import { BUILT_IN_THEMES, createHighlighter, createTheme } from '../src/index.ts';
import { hostileText, markdownText } from './support/markdown-text.ts';

const text = await loadAccelerator('text');
const highlighter = createHighlighter();
await highlighter.load('ts');
const plain: MarkdownStyle = { text, theme: createTheme(BUILT_IN_THEMES.dark, 'none') };
const ansi: MarkdownStyle = { text, theme: createTheme(BUILT_IN_THEMES.ansi, '16') };
const link = (label: string, url: string): string => `\x1b]8;;${url}\x1b\\${label}\x1b]8;;\x1b\\`;
// oxlint-disable-next-line no-control-regex -- the sequences that links and styles consist of
const ALLOWED = /\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\/g;
// oxlint-disable-next-line no-control-regex -- what must not be left
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;
const document = readFileSync(new URL('support/rich-document.md', import.meta.url), 'utf8');

describe('a rich document', () => {
  const looks = { dark: 'truecolor', light: 'truecolor', ansi: '16' } as const;
  for (const [name, depth] of Object.entries(looks) as [keyof typeof looks, 'truecolor' | '16'][]) {
    it.each([20, 40, 80, 120])(`looks as before in ${name} at %i columns`, async (width) => {
      const theme = createTheme(BUILT_IN_THEMES[name], depth);
      const rows = renderMarkdown(document, width, { text, highlighter, theme });
      for (const row of rows) expect(text.width(row)).toBeLessThanOrEqual(width);
      await expect(`${rows.join('\n').replaceAll('\x1b', '␛')}\n`).toMatchFileSnapshot(
        `golden/markdown-${name}-${width}.txt`,
      );
    });
  }
});

describe('renderMarkdown', () => {
  it('hangs wrapped text under the text of its item', () => {
    expect(renderMarkdown('10. one two three four\n    - five six seven', 16, plain)).toEqual([
      '10. one two',
      '    three four',
      '    - five six seven'.slice(0, 14),
      '      seven',
    ]);
  });

  it('shrinks the widest column of a table first, and lists the values where columns cannot fit', () => {
    const table = '| id | words |\n|---|---|\n| 1 | one two three four |\n| 2 | five |';
    expect(renderMarkdown(table, 16, plain)).toEqual([
      'id │ words',
      '───┼────────────',
      '1  │ one two',
      '   │ three four',
      '───┼────────────',
      '2  │ five',
    ]);
    expect(renderMarkdown(table, 8, plain)).toEqual([
      'id: 1',
      'words:',
      'one two',
      'three',
      'four',
      '',
      'id: 2',
      'words:',
      'five',
    ]);
  });

  it('writes code so that it can be copied: nothing beside it, nothing but its language above', () => {
    expect(renderMarkdown('```js\nif (a) {\n    b()\n}\n```', 40, plain)).toEqual(['js', 'if (a) {', '    b()', '}']);
  });

  it('makes links of some kinds of addresses only', () => {
    const linked = (source: string): string[] => renderMarkdown(source, 80, { ...plain, link });
    expect(linked('[a](https://x.y) [b](mailto:m@x.y) [c](file:///z)')).toEqual([
      `${link('a', 'https://x.y')} ${link('b', 'mailto:m@x.y')} ${link('c', 'file:///z')}`,
    ]);
    expect(linked('[a](javascript:alert(1)) [b](data:text/html,x) [c](/rel) [d](vscode://x)')).toEqual(['a b c d']);
    expect(renderMarkdown('[a](https://x.y) https://z.w <m@x.y>', 80, plain)).toEqual([
      'a (https://x.y) https://z.w m@x.y',
    ]);
  });

  it('links every row of a link that is wrapped', () => {
    expect(renderMarkdown('go [one two three](https://x.y) on', 9, { ...plain, link })).toEqual([
      `go ${link('one', 'https://x.y')}`,
      `${link('two three', 'https://x.y')}`,
      'on',
    ]);
  });

  it('shows character references, but never as control characters', () => {
    expect(renderMarkdown('&lt;a&gt; &amp; &#65; &#27;[31m &#x9b;m &unknown;', 80, plain)).toEqual([
      '<a> & A &#27;[31m &#x9b;m &unknown;',
    ]);
  });

  it('passes on no control character that a character reference stands for', () => {
    const references = ['&#27;[31m', '&#x1b;]0;t&#7;', '&#155;31m', '&#1;&#2;', '&#13;', '&#0;'];
    for (const reference of references) {
      for (const source of [
        reference,
        `**${reference}**`,
        `[${reference}](https://x.y/${reference})`,
        `![${reference}](https://x.y)`,
        `# ${reference}`,
        `- ${reference}`,
        `| ${reference} |\n|---|\n| ${reference} |`,
        `- \`\`\`${reference}\n  x\n  \`\`\``,
        `<${reference}>`,
        `\\${reference}`,
      ]) {
        expect(
          renderMarkdown(source, 80, { ...plain, link })
            .join('')
            .replace(/\u001b\]8;;[!-~]*\u001b\\/g, ''),
          source,
        ).not.toMatch(CONTROL);
      }
    }
  });

  it('keeps inner styles apart from outer ones', () => {
    const { theme } = ansi;
    const [row] = renderMarkdown('> **a `b` c**', 40, ansi);
    expect(row).toContain(theme.bold('a '));
    expect(row).toContain(theme.bold(theme.fg('mdCode', 'b')));
    expect(row).toContain(theme.bold(' c'));
  });

  it('shows the level of headings without styles, too', () => {
    expect(renderMarkdown('# a\n\n### b', 40, plain)).toEqual(['# a', '', '### b']);
    const heads = ['# a', '## a', '### a', '#### a'].map((source) => renderMarkdown(source, 40, ansi)[0]);
    expect(new Set(heads).size).toBe(4);
    for (const head of heads) expect(text.sanitize(head ?? '')).toBe('a');
  });

  it('shows text that would cost too much to take apart as it is', () => {
    const deep = `${'> '.repeat(2_000)}x`;
    expect(renderMarkdown(deep, 8_000, plain)).toEqual([deep]);
    const long = 'a*'.repeat(60_000);
    expect(renderMarkdown(long, 120_000, plain)).toEqual([long]);
    expect(renderMarkdown('[*'.repeat(20_000), 80, plain).length).toBeGreaterThan(100);
  });

  it('never throws, is never too wide, and passes on no sequences but styles and links', () => {
    fc.assert(
      fc.property(
        fc.oneof(hostileText, markdownText),
        fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 400 })),
        fc.boolean(),
        (source, width, linked) => {
          for (const row of renderMarkdown(source, width, linked ? { ...ansi, highlighter, link } : ansi)) {
            const bare = row.replace(ALLOWED, '');
            expect(bare).not.toMatch(CONTROL);
            expect(text.width(bare)).toBeLessThanOrEqual(width);
          }
          // Without styles of its own it passes on none at all: what looks like one came from the text.
          for (const row of renderMarkdown(source, width, plain)) expect(row).not.toMatch(CONTROL);
        },
      ),
      { numRuns: caseCount(1500) },
    );
  });

  it('closes every style on its row', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 1, max: 60 }), (source, width) => {
        for (const row of renderMarkdown(source, width, ansi)) {
          // oxlint-disable-next-line no-control-regex -- styles begin with an escape
          const last = [...row.matchAll(/\x1b\[([0-9;]*)m/g)].at(-1)?.[1];
          if (last !== undefined) expect(['0', '22', '23', '24', '27', '29', '39', '49']).toContain(last);
        }
      }),
      { numRuns: caseCount(500) },
    );
  });
});
