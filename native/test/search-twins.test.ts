import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';
import type { GrepOptions, GrepResult, Search } from '../src/search/contract.ts';
import { ripgrepPath } from './ripgrep.ts';
import { type Tree, withTree } from './scan-trees.ts';

const available = await implementations('search');
const native = available.find((entry) => entry.kind === 'native')?.implementation;
const js = available.find((entry) => entry.kind === 'js')?.implementation;
const numRuns = caseCount(300);
const limits = { numRuns, endOnFailure: true };
const timeout = 20_000 + numRuns * 60;

const piece = fc.constantFrom(
  'a',
  'b',
  'foo',
  'Foo',
  'bar()',
  '{x}',
  '${v}',
  ' ',
  '\t',
  'é',
  'É',
  'ß',
  'K',
  'ſ',
  '日本',
  '😀',
  '1',
  '٣',
  '_',
  '-',
  '(',
  ')',
  '[',
  '.',
  '\u2028',
  '\r',
  'x'.repeat(30),
);
const line = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
const text = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n')), { maxLength: 9 }), line)
  .map(([lines, last]) => lines.map((parts) => parts.join('')).join('') + last);
const content = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: text.map((body) => `\ufeff${body}`) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(`\ufeff${body}`, 'utf16le')) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(`\ufeff${body}`, 'utf16le').swap16()) },
  { weight: 1, arbitrary: text.map((body) => `${body}\0${body}`) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(body, 'latin1')) },
);
const files = fc
  .array(fc.tuple(fc.constantFrom('a.ts', 'b.ts', 'c.js', 'd/a.ts', 'd/e/f.md', 'é.ts', 'z'), content), {
    minLength: 1,
    maxLength: 5,
  })
  .map((entries): Tree => Object.fromEntries(entries));

const set = fc.constantFrom(
  '[ab]',
  '[^a]',
  '[a-z]',
  '[^\\w]',
  '[\\d_]',
  '[[:alpha:]]',
  '[[:^space:]x]',
  '[a-z&&[^b]]',
  '[\\w--\\d]',
  '[a-f~~b-z]',
  '[]a]',
  '[-a]',
  '[é-ü]',
  '[^\\s()]',
  '\\pL',
  '\\p{Greek}',
  '\\P{Lu}',
  '\\p{Nd}',
);
const atom = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'a',
      'b',
      'foo',
      'F',
      ' ',
      'é',
      '1',
      '_',
      '日',
      '😀',
      'k',
      's',
      '\\.',
      '\\(',
      '\\t',
      '\\x61',
      '\\u{e9}',
      '-',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('.', '\\w', '\\W', '\\d', '\\s', '\\S', '^', '$', '\\b', '\\B', '\\<', '\\b{end}'),
  },
  { weight: 2, arbitrary: set },
);
const repeated = fc
  .tuple(atom, fc.constantFrom('', '', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '+?', '*?'))
  .map((parts) => parts.join(''));
const sequence = fc.array(repeated, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
const well = fc.oneof(
  { weight: 6, arbitrary: sequence },
  { weight: 2, arbitrary: fc.tuple(sequence, sequence).map(([left, right]) => `${left}|${right}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('(', '(?:', '(?i:', '(?s:', '(?<n>', '(?x: '),
        sequence,
        fc.constantFrom(')', ')?', ')|b'),
        sequence,
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: sequence.map((body) => `(?i)${body}`) },
);
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

const ripgrep = ripgrepPath();

describe.skipIf(!ripgrep).each(available)('$kind search beside ripgrep', ({ implementation }) => {
  it(`finds exactly the lines that rg finds (seed ${COMMON_SEED})`, { timeout: timeout * 2 }, async () => {
    // A mark inside a file and bytes that are not UTF-8 are shown differently by rg's own output; text is enough here.
    const plain = fc
      .array(fc.tuple(fc.constantFrom('a.ts', 'b.ts', 'd/a.ts', 'd/e/f.md', 'z'), text), { minLength: 1, maxLength: 4 })
      .map((entries): Tree => Object.fromEntries(entries));
    await fc.assert(
      fc.asyncProperty(plain, well, fc.boolean(), async (planted, regex, ignoreCase) =>
        withTree(planted, async (path) => {
          if (!ripgrep) throw new Error('ripgrep is needed');
          const args = [
            '--crlf',
            '--no-config',
            '--no-heading',
            '-n',
            '--null',
            '--sort=path',
            '--hidden',
            ignoreCase ? '-i' : '-s',
            '-e',
            regex,
            '.',
          ];
          const answered = spawnSync(ripgrep, args, { cwd: path });
          const request = { path, pattern: regex, ignoreCase };
          if (answered.status === 2) {
            await expect(implementation.grep(request), regex).rejects.toMatchObject({ kind: 'failure' });
            return;
          }
          const theirs = answered.stdout
            .toString('utf8')
            .split('\n')
            .filter((entry) => entry !== '')
            .map((entry) => /^\.\/([^\0]*)\0(\d+):/.exec(entry)?.slice(1, 3).join(':'))
            .sort();
          const result = await implementation.grep(request);
          const ours = result.files.flatMap((file) => file.lines.map((entry) => `${file.path}:${entry.number}`)).sort();
          expect(ours, JSON.stringify(request)).toEqual(theirs);
        }),
      ),
      { ...limits, numRuns: Math.ceil(numRuns / 8) },
    );
  });
});
