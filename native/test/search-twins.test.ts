import fc from 'fast-check';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';
import type { GrepOptions, GrepResult, Search } from '../src/search/contract.ts';
import { withTree } from './scan-trees.ts';
import { files, sequence, well } from './search-worlds.ts';

const available = await implementations('search');
const native = available.find((entry) => entry.kind === 'native')?.implementation;
const js = available.find((entry) => entry.kind === 'js')?.implementation;
const numRuns = caseCount(300);
const limits = { numRuns, endOnFailure: true };
const timeout = patientLimit(20_000 + numRuns * 60);

/** Also what does not parse: code that was typed as a pattern, and plain nonsense. */
const loose = fc
  .array(
    fc.constantFrom(
      'a',
      'foo',
      '{',
      '}',
      '{x}',
      '(',
      ')',
      '()',
      '[',
      ']',
      '*',
      '+',
      '?',
      '|',
      '${v}',
      '\\',
      '(?=a)',
      '\\1',
      '{2}',
      '{,1}',
      ',',
      '^',
      '(?-m)',
      '\\A',
      '\\q',
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const pattern = fc.oneof({ weight: 6, arbitrary: well }, { weight: 2, arbitrary: loose });

type Answer = Omit<GrepResult, 'searched' | 'scan'> | { readonly refused: true };

/** A refusal is compared as such: the words differ where the engines' own messages are quoted. */
async function answer(search: Search, options: GrepOptions): Promise<Answer> {
  try {
    const { searched: _searched, scan: _scan, ...rest } = await search.grep(options);
    return JSON.parse(JSON.stringify(rest)) as Answer;
  } catch (error) {
    expect(error).toMatchObject({ name: 'NativeError', kind: 'failure' });
    return { refused: true };
  }
}

describe.skipIf(!native || !js)(`search twins (seed ${COMMON_SEED}, ${numRuns} runs)`, () => {
  const options = fc.record({
    ignoreCase: fc.boolean(),
    literal: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    mode: fc.constantFrom('content' as const, 'content' as const, 'files' as const, 'count' as const),
    before: fc.nat({ max: 2 }),
    after: fc.nat({ max: 2 }),
    maxColumns: fc.constantFrom(1000, 1000, 20, 7),
    offset: fc.constantFrom(0, 0, 1, 3),
    limit: fc.constantFrom(Infinity, Infinity, 1, 2, 5),
    perFileLimit: fc.constantFrom(Infinity, Infinity, 1, 2),
    maxBytes: fc.constantFrom(1 << 20, 1 << 20, 200, 50),
    glob: fc.constantFrom([], [], ['*.ts'], ['!z'], ['d/**']),
  });

  it('find the same lines, files and counts, and refuse the same patterns', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(
        files,
        fc.array(fc.tuple(pattern, options), { minLength: 1, maxLength: 4 }),
        async (planted, asked) =>
          withTree(planted, async (path) => {
            for (const [regex, rest] of asked) {
              if (!native || !js) throw new Error('both implementations are needed');
              const request = { path, pattern: regex, ...rest };
              expect(await answer(native, request), JSON.stringify(request)).toEqual(await answer(js, request));
            }
          }),
      ),
      limits,
    );
  });

  it('find the same matches across lines', { timeout }, async () => {
    const across = fc
      .tuple(sequence, fc.constantFrom('\\n', '\\r?\\n', '[\\s\\S]*?', '(?s:.)+', '\n', '[^a]\\n'), sequence)
      .map((parts) => parts.join(''));
    // Also with another branch that matches within a line, before or after the one that spans.
    const branched = fc.oneof(
      across,
      fc.tuple(sequence, across).map((parts) => parts.join('|')),
      fc.tuple(across, sequence).map((parts) => parts.join('|')),
    );
    await fc.assert(
      fc.asyncProperty(files, branched, options, async (planted, regex, rest) =>
        withTree(planted, async (path) => {
          if (!native || !js) throw new Error('both implementations are needed');
          const request = { path, pattern: regex, ...rest, literal: false, multiline: true };
          expect(await answer(native, request), JSON.stringify(request)).toEqual(await answer(js, request));
        }),
      ),
      { ...limits, numRuns: Math.ceil(numRuns / 2) },
    );
  });
});
