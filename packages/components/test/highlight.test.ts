import { loadAccelerator } from '@tenon/native';
import { describe, expect, it } from 'vitest';
import { languageNames } from '../src/content/languages.ts';
import { BUILT_IN_THEMES, createHighlighter, createTheme } from '../src/index.ts';

const text = await loadAccelerator('text');
const theme = createTheme(BUILT_IN_THEMES.ansi, '16');

describe('createHighlighter', () => {
  it('colours nothing before the language is loaded, then at once', async () => {
    const highlighter = createHighlighter();
    expect(highlighter.highlight('let a = 1', 'ts', theme)).toBeUndefined();
    expect(await highlighter.load('ts')).toBe(true);
    const [row = ''] = highlighter.highlight('let a = "x"; // c', 'ts', theme) ?? [];
    expect(row).toContain(theme.fg('syntaxKeyword', 'let'));
    expect(row).toContain(theme.fg('syntaxString', '"x"'));
    expect(row).toContain(theme.fg('syntaxComment', '// c'));
  });

  it('knows languages by their usual names, and guesses none', async () => {
    const highlighter = createHighlighter();
    const names = [
      'ts',
      'tsx',
      'js',
      'jsx',
      'py',
      'sh',
      'rs',
      'yml',
      'diff',
      'html',
      'c++',
      'C#',
      'toml',
      'md',
      'Dockerfile',
    ];
    for (const name of names) expect(await highlighter.load(name), name).toBe(true);
    for (const name of ['', 'no-such-language', '../core', 'constructor']) {
      expect(await highlighter.load(name)).toBe(false);
      expect(highlighter.highlight('let a = 1', name, theme)).toBeUndefined();
    }
  });

  it('finds the file of every language that it names', async () => {
    const highlighter = createHighlighter();
    for (const name of languageNames()) {
      expect(await highlighter.load(name), name).toBe(true);
      expect(highlighter.highlight('a', name, theme), name).toHaveLength(1);
    }
  });

  it('keeps the code as it is: one row for each line, styles closed on each', async () => {
    const highlighter = createHighlighter();
    await highlighter.load('ts');
    const code = '/* one\n\n   <b>&amp; "three" */\nconst s = `a\n${b}`;\n\tx < y && z';
    const rows = highlighter.highlight(code, 'ts', theme) ?? [];
    expect(rows.map((row) => text.sanitize(row)).join('\n')).toBe(code);
    for (const row of rows) {
      const styles = row
        .split('\x1b[')
        .slice(1)
        .map((part) => part.slice(0, part.indexOf('m')));
      if (styles.length > 0) expect(styles.at(-1)).toBe('39');
    }
    expect(rows[0]).toContain(theme.fg('syntaxComment', '/* one'));
    expect(rows[2]).toContain(theme.fg('syntaxComment', '   <b>&amp; "three" */'));
  });

  it('leaves code that is too long as it is', async () => {
    const highlighter = createHighlighter();
    await highlighter.load('ts');
    expect(highlighter.highlight('let a = 1;\n'.repeat(7_000), 'ts', theme)).toBeUndefined();
    expect(highlighter.highlight('a'.repeat(6_000), 'ts', theme)).toBeUndefined();
    expect(highlighter.highlight('let a = 1;\n'.repeat(100), 'ts', theme)).toBeDefined();
  });
});
