/** Finds a run of lines in a file although they are not exactly the same. */

/** How lines are compared: as they are, without blanks at the end and with plain quotes, without indentation too, or by likeness. */
export type Closeness = 'exact' | 'loose' | 'indent' | 'similar';

/** The first line of a match and how sure it is, from 0 to 1. */
export interface LineMatch {
  readonly at: number;
  readonly confidence: number;
}

/** How sure a match of each kind is; likeness has its own number. */
export const CONFIDENCE: Readonly<Record<Exclude<Closeness, 'similar'>, number>> = {
  exact: 1,
  loose: 0.98,
  indent: 0.95,
};

const MIN_SIMILARITY = 0.85;
const MIN_LINE_SIMILARITY = 0.6;
/** The next best place must be this much worse, or the match is a guess. */
const MARGIN = 0.1;
const MAX_COMPARISONS = 2_000_000;

/** Characters that models type differently from what stands in a file. */
export const TYPOGRAPHY: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u00a0': ' ',
};

/** A line as it is compared. */
export function foldLine(line: string, closeness: Exclude<Closeness, 'similar'>): string {
  if (closeness === 'exact') return line;
  const plain = line.replaceAll(
    /[\u2018\u2019\u201c\u201d\u2013\u2014\u00a0]/g,
    (character) => TYPOGRAPHY[character] ?? character,
  );
  return closeness === 'indent' ? plain.trim() : plain.trimEnd();
}

/** All places where the lines stand, at a closeness other than likeness. */
export function findLines(
  lines: readonly string[],
  wanted: readonly string[],
  closeness: Exclude<Closeness, 'similar'>,
): number[] {
  if (wanted.length === 0 || wanted.length > lines.length) return [];
  const needle = wanted.map((line) => foldLine(line, closeness));
  const hay = closeness === 'exact' ? lines : lines.map((line) => foldLine(line, closeness));
  const places: number[] = [];
  for (let at = 0; at + needle.length <= hay.length; at++) {
    if (needle.every((line, index) => hay[at + index] === line)) places.push(at);
  }
  return places;
}

/** The one place that is like the lines, if there is one and no other comes close. */
export function findSimilar(lines: readonly string[], wanted: readonly string[]): LineMatch | undefined {
  const letters = wanted.join('').replaceAll(/\s/g, '').length;
  if (letters < 8 || wanted.length > lines.length || lines.length * wanted.length > MAX_COMPARISONS) return undefined;
  const needle = wanted.map(pairsOf);
  const hay = lines.map(pairsOf);
  const weights = wanted.map((line) => Math.max(1, line.trim().length));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const scores: LineMatch[] = [];
  for (let at = 0; at + needle.length <= hay.length; at++) {
    let score = 0;
    let isPossible = true;
    for (const [index, line] of needle.entries()) {
      const likeness = likenessOf(line, hay[at + index] ?? new Map());
      isPossible &&= likeness >= MIN_LINE_SIMILARITY;
      score += likeness * (weights[index] ?? 1);
      if (!isPossible) break;
    }
    if (isPossible) scores.push({ at, confidence: score / total });
  }
  scores.sort((a, b) => b.confidence - a.confidence);
  const [best, next] = scores;
  if (!best || best.confidence < MIN_SIMILARITY) return undefined;
  return next && next.confidence > best.confidence - MARGIN ? undefined : best;
}

/** How often each pair of neighbouring characters occurs, blanks aside. */
function pairsOf(line: string): Map<string, number> {
  const text = `^${foldLine(line, 'indent').replaceAll(/\s+/g, ' ')}$`;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Shared pairs in relation to all pairs, from 0 to 1. */
function likenessOf(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let [shared, all] = [0, 0];
  for (const [pair, count] of one) {
    shared += Math.min(count, other.get(pair) ?? 0);
    all += count;
  }
  for (const count of other.values()) all += count;
  return all === 0 ? 1 : (2 * shared) / all;
}
