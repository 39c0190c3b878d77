/** The same question to ripgrep and to an implementation of ours, with both answers in one form. */
import { type Ripgrep, type RipgrepLine, ripgrepLines } from '@tenon/test-kit/ripgrep';
import type { GrepLine, GrepOptions, GrepResult } from '../src/search/contract.ts';

/** What both understand. */
export type Question = GrepOptions & { readonly glob: readonly string[] };

/** A line in the form in which both sides are compared. */
interface Row {
  readonly number: number;
  readonly match: boolean;
  readonly text: string;
  readonly column: number | undefined;
}

/** Lines by file. */
type Rows = Readonly<Record<string, readonly Row[]>>;

/** What ripgrep finds, or nothing when it refuses the pattern. */
export function theirRows(ripgrep: Ripgrep, question: Question): Rows | undefined {
  const { pattern, ignoreCase, literal, multiline, before = 0, after = 0, glob } = question;
  const lines = ripgrepLines(ripgrep, question.path, [
    ignoreCase ? '-i' : '-s',
    ...(literal ? ['-F'] : []),
    ...(multiline ? ['-U'] : []),
    `-B${before}`,
    `-A${after}`,
    ...glob.flatMap((each) => ['-g', each]),
    '-e',
    pattern,
  ]);
  if (!lines) return undefined;
  return Object.fromEntries([...lines].map(([path, rows]) => [path, rows.map((row) => theirRow(row, !multiline))]));
}

/** What ours found, with columns where ripgrep has some. */
export function ourRows({ files }: GrepResult, theirs: Rows): Rows {
  return Object.fromEntries(
    files.map(({ path, lines }) => [path, lines.map((line, index) => ourRow(line, theirs[path]?.[index]))]),
  );
}

/** Matches that touch are one for ripgrep, so columns are compared only where a match stays within its line. */
function theirRow({ number, match, text: raw, column }: RipgrepLine, withColumn: boolean): Row {
  const before = column === undefined || !withColumn ? undefined : raw.subarray(0, column).toString('utf8').length + 1;
  return { number, match, text: raw.toString('utf8'), column: before };
}

function ourRow({ number, match, text: line, column }: GrepLine, theirs: Row | undefined): Row {
  // An empty match behind a line's last character has no place of its own for ripgrep.
  return { number, match, text: line, column: theirs?.column === undefined ? undefined : column };
}
