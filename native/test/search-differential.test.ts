/** All implementations beside the real ripgrep: the same files, lines, texts and columns for generated files and patterns. */
import fc from 'fast-check';
import { recordConformance } from '@tenon/test-kit/conformance';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { findRipgrep } from '@tenon/test-kit/ripgrep';
import { afterAll, describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';
import { ourRows, type Question, theirRows } from './beside-ripgrep.ts';
import { type Tree, withTree } from './scan-trees.ts';
import { files, sequence, text, well } from './search-worlds.ts';

const available = await implementations('search');
const ripgrep = findRipgrep();
const numRuns = caseCount(30);
const timeout = patientLimit(240_000 + numRuns * 1_000);

const across = fc
  .tuple(sequence, fc.constantFrom('\\n', '\\r?\\n', '[\\s\\S]*?', '\\s+', '[^a]\\n', '(?s:.)'), sequence)
  .map((parts) => parts.join(''));
const flags = fc.record({
  ignoreCase: fc.boolean(),
  literal: fc.constantFrom(false, false, false, true),
  before: fc.constantFrom(0, 0, 1, 3),
  after: fc.constantFrom(0, 0, 1, 2),
  glob: fc.constantFrom<string[]>(
    [],
    [],
    ['*.ts'],
    ['!*.ts'],
    ['d/**'],
    ['**/*.md'],
    ['*.{ts,js}'],
    ['d/e/*'],
    ['*.ts', '!a.ts'],
    ['/a.ts'],
    ['[a-c].*'],
    ['?.js'],
  ),
});
const question = fc.oneof(
  fc.tuple(well, flags, fc.constant(false)),
  fc.tuple(
    fc.oneof(
      across,
      fc.tuple(sequence, across).map((parts) => parts.join('|')),
    ),
    flags,
    fc.constant(true),
  ),
);
/** Lines far longer than a window or a buffer, and files larger than what is read at once. */
const long = fc
  .tuple(
    // Mostly short ones: where each letter of a line matches, ripgrep lists every one of them.
    fc.constantFrom(3000, 3000, 3000, 70_000, 200_000),
    fc.constantFrom('x', 'é', ' '),
    text,
    text,
    fc.constantFrom('', '\n', '\r\n'),
  )
  .map(([length, filler, front, back, end]): Tree => ({
    'long.ts': `${front}${filler.repeat(length)}${back}${end}foo`,
  }));
/** A byte that makes a file binary, behind some text. */
const binary = fc.tuple(text, text).map(([front, back]): Tree => ({
  'x.bin': `${front}\n${front}\0${back}`,
  'utf16.ts': Buffer.from(`\ufeff${back}`, 'utf16le'),
}));
const tree = fc
  .tuple(files, fc.option(long, { freq: 6 }), fc.option(binary, { freq: 4 }))
  .map((parts): Tree => Object.assign({}, ...parts));

describe.skipIf(!ripgrep)(`search beside ripgrep (seed ${COMMON_SEED})`, () => {
  const counts = new Map(available.map(({ kind }) => [kind, { cases: 0, same: 0, refused: 0, different: 0 }]));
  afterAll(() => {
    for (const [kind, count] of counts)
      recordConformance({ suite: `search, ${kind}`, oracle: ripgrep?.version ?? '', ...count });
  });

  it('finds the same lines in the same files', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(tree, fc.array(question, { minLength: 1, maxLength: 3 }), async (planted, asked) =>
        withTree(planted, async (path) => {
          for (const [pattern, options, multiline] of asked) {
            const isMultiline = multiline && !options.literal;
            const request = { path, pattern, ...options, multiline: isMultiline, maxColumns: 1_000_000 };
            await compare(request);
          }
        }),
      ),
      { numRuns, endOnFailure: true },
    );
  });

  /** ripgrep is asked once for all implementations. */
  async function compare(request: Question): Promise<void> {
    if (!ripgrep) throw new Error('ripgrep is needed');
    const expected = theirRows(ripgrep, request);
    for (const { kind, implementation } of available) {
      const count = counts.get(kind) ?? { cases: 0, same: 0, refused: 0, different: 0 };
      count.cases += 1;
      if (expected === undefined) {
        count.refused += 1;
        await expect(implementation.grep(request), `${kind}: ${request.pattern}`).rejects.toMatchObject({
          kind: 'failure',
        });
        continue;
      }
      count.different += 1;
      const result = await implementation.grep(request);
      expect(ourRows(result, expected), `${kind}: ${JSON.stringify(request)}`).toEqual(expected);
      count.different -= 1;
      count.same += 1;
    }
  }
});
