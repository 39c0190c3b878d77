import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reviewText } from '../src/page/state/review-text.ts';
import { diffLines, isDiff } from '../src/page/views/diff-lines.ts';

const line = fc.constantFrom('a', 'b', '', '-- x', '++ y', '@@ -1 +1 @@', ' z', '\\ No newline', '--- a/x', '+++ b/x');
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));

test('every line of a diff of git knows its number and file, also where the text looks like a diff itself', () => {
  const folder = temporaryFolder('web');
  fc.assert(
    fc.property(text, text, (before, after) => {
      writeFileSync(join(folder, 'before'), before);
      writeFileSync(join(folder, 'after'), after);
      const words = ['diff', '--no-index', '--no-color', '--numstat', '--patch', 'before', 'after'];
      let diff = '';
      try {
        execFileSync('git', words, { cwd: folder });
        return; // No difference.
      } catch (fault) {
        diff = String((fault as { stdout: Buffer }).stdout);
      }
      const [, added, removed] = /^(\d+)\t(\d+)/.exec(diff) ?? [];
      expect(isDiff(diff)).toBe(true);
      const [old, now] = [before.split('\n'), after.split('\n')];
      for (const { kind, text: shown, number, file } of diffLines(diff)) {
        if (number === undefined) continue;
        const lines = kind === 'removed' ? old : now;
        expect([kind, number, shown.slice(1)]).toEqual([kind, number, lines[number - 1]]);
        expect(file).toBe('after');
      }
      const count = (wanted: string) => diffLines(diff).filter(({ kind }) => kind === wanted).length;
      expect([count('added'), count('removed')]).toEqual([Number(added), Number(removed)]);
    }),
    { numRuns: caseCount(40) },
  );
});

test('any text is taken as lines', () => {
  fc.assert(fc.property(fc.string(), (any) => void expect(Array.isArray(diffLines(any))).toBe(true)));
});

test('names of new and removed files are those of the file that is there', () => {
  const diff = [
    'diff --git a/new.ts b/new.ts',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/new.ts',
    '@@ -0,0 +1 @@',
    '+x',
    'diff --git a/old.ts b/old.ts',
    '--- a/old.ts',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-y',
    '',
  ].join('\n');
  const code = diffLines(diff).filter(({ number }) => number !== undefined);
  expect(code.map(({ file, number, kind }) => [file, number, kind])).toEqual([
    ['new.ts', 1, 'added'],
    ['old.ts', 1, 'removed'],
  ]);
});

test('comments become one message that says where each belongs', () => {
  const comments = [
    { file: 'cart.ts', line: 3, code: '+  let sum = 0;', text: 'Use reduce.' },
    { file: 'cart.ts', line: 9, code: '-}', text: 'Why?' },
  ];
  expect(reviewText({ comments, whole: ' Nearly there. ' })).toBe(
    'Nearly there.\n\nComments on your changes:\n\ncart.ts:3\n> +  let sum = 0;\nUse reduce.\n\ncart.ts:9\n> -}\nWhy?',
  );
  expect(reviewText({ comments: [], whole: 'Fine.' })).toBe('Fine.');
});
