import fc from 'fast-check';
import { loadAccelerator } from '@tenon/native';
import { createTwoFilesPatch, structuredPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { type DiffOptions, renderDiff, renderPatch } from '../src/content/diff.ts';
import { BUILT_IN_THEMES, createTheme } from '../src/index.ts';

const text = await loadAccelerator('text');
const plain: DiffOptions = { text, width: 60, theme: createTheme(BUILT_IN_THEMES.dark, 'none') };
const colored: DiffOptions = { ...plain, theme: createTheme(BUILT_IN_THEMES.ansi, '16') };
const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

describe('renderDiff', () => {
  it('shows numbers, signs and some lines around a change', () => {
    const before = numbered(9).join('\n');
    expect(renderDiff(before, before.replace('line 5', 'LINE 5'), { ...plain, context: 1, path: 'a.txt' })).toEqual([
      'a.txt',
      '4   line 4',
      '5 - line 5',
      '5 + LINE 5',
      '6   line 6',
    ]);
  });

  it('puts … between hunks, and joins hunks that touch', () => {
    const before = numbered(20);
    const after = before.map((line) => (['line 2', 'line 18'].includes(line) ? `${line}!` : line));
    const rows = renderDiff(before.join('\n'), after.join('\n'), { ...plain, context: 1 });
    expect(rows.filter((row) => row === '…')).toHaveLength(1);
    const near = before.map((line) => (['line 2', 'line 5'].includes(line) ? `${line}!` : line));
    expect(renderDiff(before.join('\n'), near.join('\n'), { ...plain, context: 1 })).not.toContain('…');
  });

  it('marks the words that changed in lines that are alike, and only there', () => {
    const rows = renderDiff(
      'const total = first + second;\nold\n',
      'const total = first - second;\nquite different\n',
      colored,
    );
    const { theme } = colored;
    expect(rows[0]).toContain(theme.fg('toolDiffRemoved', theme.inverse('+')));
    expect(rows.find((row) => row.includes(theme.inverse('-')))).toBeDefined();
    expect(rows.filter((row) => row.includes('\x1b[7m'))).toHaveLength(2);
  });

  it('pairs a changed line with the one that resembles it, not with the first', () => {
    const rows = renderDiff(
      'return compute(alpha, beta);',
      'import x;\nimport y;\nreturn compute(alpha, gamma);',
      colored,
    );
    expect(rows.filter((row) => row.includes('\x1b[7m')).map((row) => text.sanitize(row))).toEqual([
      '1 - return compute(alpha, beta);',
      '3 + return compute(alpha, gamma);',
    ]);
  });

  it('wraps long lines under their text', () => {
    const rows = renderDiff('', 'word '.repeat(20).trim(), { ...plain, width: 30 });
    expect(rows[0]).toMatch(/^1 \+ word/);
    for (const row of rows.slice(1)) expect(row).toMatch(/^ {4}word/);
  });

  it('says how many lines are missing', () => {
    const rows = renderDiff('', numbered(50).join('\n'), { ...plain, maxRows: 10 });
    expect(rows).toHaveLength(10);
    expect(rows.at(-1)).toBe('… 41 more lines');
  });

  it('gives no rows for equal texts', () => {
    expect(renderDiff('a\r\nb', 'a\nb\n', plain)).toEqual([]);
  });

  it('shows a megabyte that changed everywhere as one block, and a small change in a megabyte as what it is', () => {
    const big = Array.from(
      { length: 20_000 },
      (_, at) => `some words of line ${at} that make it longer than it has to be`,
    );
    const other = big.map((line, at) => (at % 2 === 0 ? `${line}?` : line.toUpperCase()));
    const rows = renderDiff(big.join('\n'), other.join('\n'), { ...colored, maxRows: 200 });
    expect(rows).toHaveLength(200);
    const one = big.map((line, at) => (at === 10_000 ? `${line}!` : line));
    expect(renderDiff(big.join('\n'), one.join('\n'), { ...plain, width: 90 })).toHaveLength(8);
    const line = 'x'.repeat(1_000_000);
    expect(renderDiff(line, `${line}y`, { ...plain, width: 100, maxRows: 5 })).toHaveLength(5);
  });

  it('finds many small changes in a long text, and keeps both texts whole', () => {
    const before = Array.from({ length: 6_000 }, (_, at) => `line ${at} of many`);
    const after = before.map((line, at) => (at % 8 === 0 ? `${line}, changed` : line));
    const rows = renderDiff(before.join('\n'), after.join('\n'), { ...plain, context: 0 });
    expect(rows.filter((row) => / - /.test(row))).toHaveLength(750);
    expect(rows.filter((row) => / \+ /.test(row))).toHaveLength(750);
    const moved = [...before.slice(3_000), ...before.slice(0, 3_000)];
    const all = renderDiff(before.join('\n'), moved.join('\n'), { ...plain, context: 6_000 });
    const side = (sign: string): string[] => all.filter((row) => row.charAt(5) !== sign).map((row) => row.slice(7));
    expect(side('+')).toEqual(before);
    expect(side('-')).toEqual(moved);
  });

  it('holds every line of both texts when all context is shown', () => {
    const lines = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd e f', 'd e g', ''), { maxLength: 20 })
      .map((all) => [...all, 'end']);
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const rows = renderDiff(before.join('\n'), after.join('\n'), { ...plain, context: 100 });
        if (before.join('\n') === after.join('\n')) expect(rows).toEqual([]);
        else {
          const signAt = (rows[0]?.search(/\d /) ?? 0) + 2;
          const of = (signs: string): string[] =>
            rows.filter((row) => signs.includes(row.charAt(signAt))).map((row) => row.slice(signAt + 2));
          expect(of(' -')).toEqual(before);
          expect(of(' +')).toEqual(after);
        }
      }),
    );
  });

  it('is never too wide and passes no sequences on, at any width', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\x1b[31mred', '日本語 日本語', '\tx\ty', 'a\x1b]0;t\x07', '👩‍👩‍👧 x'),
    );
    const source = fc.array(line, { maxLength: 8 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(source, source, fc.integer({ min: 1, max: 80 }), (before, after, width) => {
        for (const row of renderDiff(before, after, { ...colored, width, path: before })) {
          expect(text.width(row)).toBeLessThanOrEqual(width);
          // oxlint-disable-next-line no-control-regex -- what must not be left
          expect(row.replace(/\x1b\[[0-9;]*m/g, '')).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
        }
      }),
    );
  });
});

describe('renderPatch', () => {
  it('shows what the difference of the two texts shows', () => {
    const lines = fc
      .array(fc.constantFrom('a', 'b', 'c', '-- d', '++ e', '@@ f'), { maxLength: 20 })
      .map((all) => `${all.join('\n')}\n`);
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const patch = createTwoFilesPatch('a/x.ts', 'b/x.ts', before, after, '', '', { context: 3 });
        const rows = renderPatch(patch, plain);
        const hunks = structuredPatch('x', 'x', before, after, '', '', { context: 3 }).hunks;
        const expected = hunks.map((hunk) =>
          hunk.lines.filter((line) => !line.startsWith('\\')).map((line) => `${line.charAt(0)} ${line.slice(1)}`),
        );
        const shown = rows.slice(1).map((row) => row.replace(/^ *\d+ /, ''));
        expect(shown).toEqual(expected.flatMap((lines, at) => (at > 0 ? ['…', ...lines] : lines)));
      }),
    );
  });

  it('names the files, new and deleted ones too', () => {
    const patch = [
      'diff --git a/one.ts b/one.ts',
      'index 123..456 100644',
      '--- a/one.ts',
      '+++ b/one.ts',
      '@@ -1,2 +1,2 @@ function x() {',
      ' same',
      '-old line',
      '+new line',
      '\\ No newline at end of file',
      'diff --git a/two.ts b/two.ts',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/two.ts',
      '@@ -0,0 +1 @@',
      '+first',
    ].join('\n');
    expect(renderPatch(patch, plain)).toEqual([
      'one.ts',
      '1   same',
      '2 - old line',
      '2 + new line',
      '',
      'new file mode 100644',
      '',
      'two.ts (new)',
      '1 + first',
    ]);
  });

  it('hides no change behind a header that counts too few lines', () => {
    const rows = renderPatch('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+hidden\n--- also hidden\n', plain);
    expect(rows).toEqual(['x', '1 - a', '1 + b', '2 + hidden', '2 - -- also hidden']);
  });

  it('never throws on what is no patch', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('@@ -1 +1 @@', '+++ b/x', '--- a/x', '+', '-', ' ')), {
          maxLength: 10,
        }),
        (lines) => {
          renderPatch(lines.join('\n'), { ...plain, width: 10 });
        },
      ),
    );
    expect(renderPatch('nothing of that kind', plain)).toEqual([]);
  });
});
