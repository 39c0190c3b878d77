/** Which removed line became which added line, and which words of them changed. */
import { diffArrays } from 'diff/lib/diff/array.js';

/** A piece of a line. */
export interface WordPiece {
  readonly text: string;
  readonly changed: boolean;
}

/** Two lines that belong together, by their places in the two lists. */
export interface LinePair {
  readonly removed: number;
  readonly added: number;
}

/** Lines that share less than this are different lines. */
const LEAST_SIMILARITY = 0.5;
/** Above this many comparisons lines are paired by their order. */
const MOST_COMPARISONS = 900;
const LONGEST_LINE = 2_000;
const MOST_WORD_EDITS = 400;

/** Words, runs of spaces, and single signs. */
export function words(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Pairs lines in order, so that the pairs are as similar as possible. */
export function pairLines(removed: readonly string[], added: readonly string[]): LinePair[] {
  if (removed.length * added.length > MOST_COMPARISONS) return byOrder(removed, added);
  const bags = added.map(bag);
  const scores = removed.map((line) => {
    const own = bag(line);
    return bags.map((other) => similarity(own, other));
  });
  return bestPairs(scores, removed.length, added.length);
}

function byOrder(removed: readonly string[], added: readonly string[]): LinePair[] {
  const pairs: LinePair[] = [];
  for (const [at, line] of removed.entries()) {
    const other = added[at];
    if (other !== undefined && similarity(bag(line), bag(other)) >= LEAST_SIMILARITY)
      pairs.push({ removed: at, added: at });
  }
  return pairs;
}

/** The best sum of similarities without crossing pairs. */
function bestPairs(scores: readonly (readonly number[])[], rows: number, width: number): LinePair[] {
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(width + 1));
  const at = (row: number, column: number): number => best[row]?.[column] ?? 0;
  const score = (row: number, column: number): number => {
    const value = scores[row]?.[column] ?? 0;
    return value >= LEAST_SIMILARITY ? value : 0;
  };
  for (let row = rows - 1; row >= 0; row--) {
    const line = best[row] ?? new Float64Array();
    for (let column = width - 1; column >= 0; column--) {
      const own = score(row, column);
      const paired = own > 0 ? own + at(row + 1, column + 1) : 0;
      line[column] = Math.max(paired, at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: LinePair[] = [];
  for (let row = 0, column = 0; row < rows && column < width;) {
    const own = score(row, column);
    if (own > 0 && at(row, column) === own + at(row + 1, column + 1)) pairs.push({ removed: row++, added: column++ });
    else if (at(row, column) === at(row + 1, column)) row++;
    else column++;
  }
  return pairs;
}

interface Bag {
  readonly counts: ReadonlyMap<string, number>;
  readonly size: number;
}

/** How often each word of a line occurs; the length of a word is its weight. */
function bag(line: string): Bag {
  const counts = new Map<string, number>();
  let size = 0;
  for (const word of words(line.slice(0, LONGEST_LINE))) {
    if (word.trim() === '') continue;
    counts.set(word, (counts.get(word) ?? 0) + word.length);
    size += word.length;
  }
  return { counts, size };
}

function similarity(left: Bag, right: Bag): number {
  if (left.size + right.size === 0) return 0;
  let shared = 0;
  for (const [word, weight] of left.counts) shared += Math.min(weight, right.counts.get(word) ?? 0);
  return (2 * shared) / (left.size + right.size);
}

/** The pieces of two lines; nothing when they are too long or too different to compare. */
export function changedWords(
  before: string,
  after: string,
): { readonly before: WordPiece[]; readonly after: WordPiece[] } | undefined {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return undefined;
  const found = diffArrays(words(before), words(after), { maxEditLength: MOST_WORD_EDITS });
  if (!found) return undefined;
  const pieces = (skip: 'added' | 'removed', mark: 'added' | 'removed'): WordPiece[] =>
    found.filter((part) => !part[skip]).map((part) => ({ text: part.value.join(''), changed: part[mark] }));
  return { before: pieces('added', 'removed'), after: pieces('removed', 'added') };
}
