/** The pages of the search tool beside the real ripgrep: followed to the end they show each of its lines, and each once. */
import { recordConformance } from '@tenon/test-kit/conformance';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { findRipgrep, ripgrepLines } from '@tenon/test-kit/ripgrep';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';
import fc from 'fast-check';
import { patientLimit } from '@tenon/test-kit/waiting';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

const ripgrep = findRipgrep();
const numRuns = caseCount(25);
const timeout = patientLimit(60_000 + numRuns * 4000);

let bench: Workbench | undefined;
const count = { cases: 0, same: 0, refused: 0, different: 0 };
afterEach(() => bench?.dispose());
afterAll(() => recordConformance({ suite: 'search, pages of the tool', oracle: ripgrep?.version ?? '', ...count }));

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('foo', 'bar foo', 'abc', 'def', '', 'Foo()', 'é foo', 'x = {foo}', '\tfoo '),
  },
  { weight: 1, arbitrary: fc.constantFrom('y'.repeat(2000), `${'z'.repeat(1500)}foo${'z'.repeat(1500)}`) },
);
const text = fc
  .tuple(fc.array(line, { maxLength: 120 }), fc.constantFrom('\n', '\n', '\r\n'), fc.constantFrom('', '\n'))
  .map(([lines, end, last]) => lines.join(end) + last);
const content = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(`\ufeff${body}`, 'utf16le')) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(body, 'latin1')) },
  { weight: 1, arbitrary: text.map((body) => `${body}\0`) },
);
const files = fc.dictionary(fc.constantFrom('a.ts', 'b.ts', 'd/a.ts', 'd/e/f.md', 'z', 'é.js'), content, {
  minKeys: 1,
  maxKeys: 5,
});
const question = fc.record({
  pattern: fc.constantFrom(
    'foo',
    'o',
    '^',
    'f..',
    'abc\\ndef',
    '\\bfoo\\b',
    'foo|bar',
    'foo\\s+\\S',
    'é',
    '\\(\\)',
    'c\\r?\\nd',
    'def\\n+abc',
  ),
  i: fc.boolean(),
});

describe.skipIf(!ripgrep)(`search beside ripgrep (seed ${COMMON_SEED})`, () => {
  it('loses no line between pages and shows none twice', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.array(question, { minLength: 1, maxLength: 3 }), async (planted, asked) => {
        bench = await openWorkbench(['file-tools', 'search-tools'], { files: planted });
        for (const { pattern, i } of asked) {
          if (!ripgrep) throw new Error('ripgrep is needed');
          // A pattern spans lines when it names their ends.
          const spans = /\\[nr]/.test(pattern);
          const theirs = ripgrepLines(ripgrep, bench.root, [
            i ? '-i' : '-s',
            ...(spans ? ['-U'] : []),
            '-g',
            '!.git',
            '-e',
            pattern,
          ]);
          const expected = [...(theirs ?? [])].flatMap(([path, lines]) =>
            lines.map(({ number }) => `${path}:${number}`),
          );
          count.cases += 1;
          count.different += 1;
          expect((await allPages(bench, { pattern, i })).sort(), pattern).toEqual(expected.sort());
          count.different -= 1;
          count.same += 1;
        }
        await bench.dispose();
      }),
      { numRuns, endOnFailure: true },
    );
  });
});

/** The matching lines of all pages, in the order in which they come. */
async function allPages(from: Workbench, input: { readonly pattern: string; readonly i: boolean }): Promise<string[]> {
  const found: string[] = [];
  for (let skip: number | undefined = 0; skip !== undefined;) {
    const page = await from.ok('search', { ...input, paths: ['.'], skip });
    let path = '';
    for (const row of page.split('\n')) {
      path = /^# (.*)$/.exec(row)?.[1] ?? path;
      const number = /^\*(\d+)[a-z]*\|/.exec(row)?.[1];
      if (number !== undefined) found.push(`${path}:${number}`);
    }
    const next = /Use skip: (\d+)/.exec(page)?.[1];
    skip = next === undefined ? undefined : Number(next);
  }
  return found;
}
