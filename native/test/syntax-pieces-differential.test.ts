/**
 * Patterns that nobody wrote: pieces of the programs of the corpus, whole nodes or cut at one of their ends, with variables in the
 * place of some parts. Where ast-grep can parse such a pattern, ours finds the same.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { recordConformance } from '@tenon/test-kit/conformance';
import { caseCount } from '@tenon/test-kit/properties';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { afterAll, describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';
import { askProgram, describeOurs, describeTheirs, isErrorForProgram, programVersion } from './ast-grep-program.ts';
import { CORPUS, type CorpusEntry } from './syntax-corpus.ts';

const available = await implementations('syntax');
const PIECES = caseCount(8);
const LONGEST = 200;

interface Piece {
  readonly pattern: string;
  readonly folder: string;
  /** What ast-grep finds. */
  readonly theirs: readonly string[];
}

const known = new Map<string, readonly Piece[]>();

/** ast-grep is asked once for all implementations. */
function piecesOf(entry: CorpusEntry): readonly Piece[] {
  const earlier = known.get(entry.lang);
  if (earlier) return earlier;
  const folder = temporaryFolder('pieces');
  writeFileSync(join(folder, entry.path), entry.program);
  const bytes = Buffer.from(entry.program);
  const nodes = (askProgram({ pattern: '$A', lang: entry.lang }, folder) ?? [])
    .map(({ range }) => range.byteOffset)
    .filter(({ start, end }) => end > start && end - start < LONGEST);
  const piece = fc.infiniteStream(fc.nat({ max: 9_999 })).map((numbers) => {
    const draw = (limit: number): number => (numbers.next().value ?? 0) % Math.max(1, limit);
    const whole = nodes[draw(nodes.length)] ?? { start: 0, end: 0 };
    const inner = nodes.filter(({ start, end }) => start >= whole.start && end <= whole.end);
    const other = inner[draw(inner.length)] ?? whole;
    const { start, end } =
      [whole, whole, { ...whole, end: other.end }, { ...whole, start: other.start }][draw(4)] ?? whole;
    const parts = inner.filter((part) => part.start >= start && part.end <= end && part.end - part.start < end - start);
    let text = '';
    let at = start;
    for (const name of ['A', 'B', 'C'].slice(0, 1 + draw(3))) {
      const later = parts.filter((part) => part.start >= at);
      const part = later[draw(later.length)];
      if (!part) break;
      text += `${bytes.toString('utf8', at, part.start)}${draw(6) === 0 ? '$$$' : '$'}${name}`;
      at = part.end;
    }
    return (text + bytes.toString('utf8', at, end)).trim();
  });
  const patterns = new Set(fc.sample(piece, PIECES).filter((pattern) => !/^$|^\$+[A-C]$/.test(pattern)));
  const pieces = [...patterns].map((pattern): Piece => {
    const found = askProgram({ pattern, lang: entry.lang }, folder) ?? [];
    return { pattern, folder, theirs: found.map(describeTheirs) };
  });
  known.set(entry.lang, pieces);
  return pieces;
}

const counts = { cases: 0, same: 0, refused: 0, different: 0 };
afterAll(() => recordConformance({ suite: 'structural search, pieces', oracle: programVersion(), ...counts }));

describe.each(available)(
  '$kind structural search and ast-grep, for pieces of programs',
  ({ implementation: syntax }) => {
    it.each(CORPUS)(
      'find the same in $lang',
      async (entry) => {
        for (const { pattern, folder, theirs } of piecesOf(entry)) {
          const sources = [{ path: entry.path, content: entry.program }];
          const result = await syntax.search({ sources, patterns: [pattern], limit: 1_000_000 });
          const ours = result.matches.map(describeOurs);
          const isRefused = result.issues.some(({ kind }) => kind !== 'syntax-error');
          const isSame = JSON.stringify(ours) === JSON.stringify(theirs);
          // Several nodes without one around them are the whole file to ast-grep.
          const isAll = theirs.length === 1 && theirs[0]?.startsWith(`0-${Buffer.byteLength(entry.program)}`) === true;
          // A piece of the program is in the program: where ast-grep does not find it, it has read something else.
          if (!isSame && (isAll || theirs.length === 0)) continue;
          if (!isSame && isErrorForProgram({ pattern, lang: entry.lang }, folder)) continue;
          counts.cases += 1;
          if (isSame) counts.same += 1;
          else if (isRefused) counts.refused += 1;
          else {
            counts.different += 1;
            expect({ pattern, found: ours }).toEqual({ pattern, found: theirs });
          }
        }
      },
      600_000,
    );
  },
);
