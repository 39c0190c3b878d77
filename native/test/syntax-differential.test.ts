/** Structural search held against the ast-grep program, in every language it has: same places, same captures. */
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { recordConformance } from '@tenon/test-kit/conformance';
import { caseCount } from '@tenon/test-kit/properties';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { afterAll, describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';
import { askProgram, describeOurs, describeTheirs, programVersion } from './ast-grep-program.ts';
import { CORPUS, type CorpusEntry } from './syntax-corpus.ts';

const available = await implementations('syntax');
const VARIANTS = Math.max(2, Math.ceil(caseCount(2) / 25));

interface Question {
  readonly sources: readonly { readonly path: string; readonly content: string }[];
  /** What the program finds, by pattern and path. */
  readonly answers: ReadonlyMap<string, readonly string[]>;
}

/** The program is asked once for all implementations. */
const questions = new Map<string, Question>();

function askAstGrep(entry: CorpusEntry): Question {
  const earlier = questions.get(entry.lang);
  if (earlier !== undefined) return earlier;
  const folder = temporaryFolder('ast-grep');
  const extension = entry.path.split('.').at(-1);
  const sources = variantsOf(entry).map((content, at) => ({ path: `v${at}.${extension}`, content }));
  for (const { path, content } of sources) writeFileSync(join(folder, path), content);
  const answers = new Map<string, string[]>();
  for (const pattern of entry.patterns) {
    for (const found of askProgram({ pattern, lang: entry.lang }, folder) ?? []) {
      const key = `${pattern} ${found.file.split(/[/\\]/).at(-1)}`;
      answers.set(key, [...(answers.get(key) ?? []), describeTheirs(found)]);
    }
  }
  const question = { sources, answers };
  questions.set(entry.lang, question);
  return question;
}

const NAMES = ['a', 'b', 'x', 'y', 'foo', 'bar', 'list'];

/** Programs of the same shape: names and numbers exchanged, whole lines dropped or doubled. */
function variantsOf({ program: base }: CorpusEntry): string[] {
  const isWhole = (line: string): boolean =>
    /^\s+\S.*[;}]$/.test(line) && isBalanced(line) && !/\b(?:case|default)\b/.test(line);
  const variant = fc.tuple(fc.infiniteStream(fc.nat({ max: 99 }))).map(([numbers]) => {
    const draw = (limit: number): number => (numbers.next().value ?? 0) % limit;
    const lines = base
      .split('\n')
      .flatMap((line) => (isWhole(line) ? ([[], [line], [line, line]][draw(3)] ?? []) : [line]));
    return lines
      .join('\n')
      .replaceAll(/\b(?:foo|bar|x|y)\b(?!['".:])/g, (name) =>
        draw(2) === 0 ? name : (NAMES[draw(NAMES.length)] ?? name),
      );
  });
  return [base, ...fc.sample(variant, VARIANTS)];
}

function isBalanced(line: string): boolean {
  return ['()', '{}', '[]'].every(([open = '', close = '']) => line.split(open).length === line.split(close).length);
}

const counts = { cases: 0, same: 0 };

afterAll(() => {
  const { cases, same } = counts;
  recordConformance({
    suite: 'structural search',
    oracle: programVersion(),
    cases,
    same,
    refused: 0,
    different: cases - same,
  });
});

describe.each(available)('$kind structural search and ast-grep', ({ implementation: syntax }) => {
  it.each(CORPUS)(
    'find the same in $lang',
    async (entry) => {
      const { sources, answers } = askAstGrep(entry);
      let [same, matched] = [0, 0];
      for (const pattern of entry.patterns) {
        const result = await syntax.search({ sources, patterns: [pattern], limit: 1_000_000 });
        expect({ pattern, refused: result.issues.filter(({ kind }) => kind !== 'syntax-error') }).toEqual({
          pattern,
          refused: [],
        });
        // Recovery from an error depends on the encoding that is parsed, and theirs is not ours.
        const faulty = new Set(result.issues.map(({ path }) => path));
        for (const { path } of sources.filter((source) => !faulty.has(source.path))) {
          const found = result.matches.filter((match) => match.path === path).map(describeOurs);
          counts.cases += 1;
          expect({ pattern, path, found }).toEqual({ pattern, path, found: answers.get(`${pattern} ${path}`) ?? [] });
          same += 1;
          counts.same += 1;
          matched += found.length;
        }
      }
      expect(same).toBeGreaterThan(0);
      expect(matched).toBeGreaterThan(0);
    },
    300_000,
  );

  it.each(CORPUS.filter(({ beyond }) => beyond.length > 0))('reads what ast-grep cannot in $lang', async (entry) => {
    const sources = [{ path: entry.path, content: entry.program }];
    const counts = await Promise.all(
      entry.beyond.map(async ([pattern]) => [
        pattern,
        (await syntax.search({ sources, patterns: [pattern] })).matches.length,
      ]),
    );
    expect(counts).toEqual(entry.beyond);
  });
});
