/** Fuzzy matching: the letters of a query in their order, best where they stand together and begin words. */
import { graphemes } from '../editor/graphemes.ts';

/** How well a text fits a query; higher is better. */
export interface FuzzyMatch {
  readonly score: number;
  /** Where the matched letters stand in the text that was searched. */
  readonly hits: readonly number[];
}

/** A query as it is searched for: words that all have to match. */
export type FuzzyQuery = readonly string[];

const TOGETHER = 8;
const WORD_START = 10;
const TEXT_START = 6;
const SUBSTRING = 40;
/** Each letter between two hits costs, up to this. */
const MOST_GAP = 20;
/** Letters that stand wider apart, in a long text, are there by chance. */
const MOST_SPREAD = 30;

/** The words of a query, as {@link fuzzyMatch} takes them. */
export function fuzzyQuery(query: string): FuzzyQuery {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * How well a text in small letters fits; nothing when a word of the query is not in it. An empty query fits everything. What is in
 * `more` counts only as whole words of the query, and less.
 */
export function fuzzyScore(query: FuzzyQuery, small: string, more = ''): number | undefined {
  // Of texts that fit equally well the one that is clearly shorter is meant.
  let score = -Math.min(10, Math.floor(small.length / 20));
  for (const word of query) {
    const found = scoreWord(word, small);
    if (found !== undefined) score += found;
    else if (!more.includes(word)) return undefined;
  }
  return score;
}

/** The same with where the letters stand; words that are only in `more` have no hits. */
export function fuzzyMatch(query: FuzzyQuery, small: string, more = ''): FuzzyMatch | undefined {
  const score = fuzzyScore(query, small, more);
  if (score === undefined) return undefined;
  const hits: number[] = [];
  for (const word of query) if (scoreWord(word, small) !== undefined) hits.push(...places.subarray(0, word.length));
  return { score, hits };
}

/** Where the letters of the word stand that was scored last: one list for all, because thousands of texts are scored for a key. */
let places = new Uint32Array(64);

function scoreWord(word: string, small: string): number | undefined {
  if (places.length < word.length) places = new Uint32Array(word.length * 2);
  const whole = bestSubstring(word, small);
  if (whole >= 0) {
    for (let letter = 0; letter < word.length; letter += 1) places[letter] = whole + letter;
    return SUBSTRING + placesScore(word.length, small);
  }
  const end = lastOf(word, small);
  if (end < 0) return undefined;
  placeTightly(word, small, end);
  return end - (places[0] ?? 0) >= word.length + MOST_SPREAD ? undefined : placesScore(word.length, small);
}

/** Where the word stands, at the beginning of a word if possible; -1 when it does not. */
function bestSubstring(word: string, small: string): number {
  const first = small.indexOf(word);
  for (let at = first; at >= 0; at = small.indexOf(word, at + 1)) if (isWordStart(small, at)) return at;
  return first;
}

/** Where the last letter stands when the letters are taken from the left, as soon as possible. */
function lastOf(word: string, small: string): number {
  let at = -1;
  for (let letter = 0; letter < word.length; letter += 1) {
    at = small.indexOf(word.charAt(letter), at + 1);
    if (at < 0) return -1;
  }
  return at;
}

/** The same letters from the right: that is where they stand closest. */
function placeTightly(word: string, small: string, end: number): void {
  let at = end;
  for (let letter = word.length - 1; letter >= 0; letter -= 1) {
    at = small.lastIndexOf(word.charAt(letter), at);
    places[letter] = at;
    at -= 1;
  }
}

function placesScore(length: number, small: string): number {
  let score = 0;
  let before = -1;
  for (let letter = 0; letter < length; letter += 1) {
    const at = places[letter] ?? 0;
    if (at === 0) score += TEXT_START;
    if (isWordStart(small, at)) score += WORD_START;
    if (letter > 0) score += before === at - 1 ? TOGETHER : -Math.min(MOST_GAP, at - before - 1);
    before = at;
  }
  return score;
}

/** Whether a letter ends a word, by its code. */
const BORDERS = new Set([...' /\\-_.:@#()[]'].map((letter) => letter.charCodeAt(0)));

function isWordStart(small: string, at: number): boolean {
  return at === 0 || BORDERS.has(small.charCodeAt(at - 1));
}

/** The text with its matched letters marked; letters that belong together stay together. */
export function markHits(shown: string, query: FuzzyQuery, mark: (part: string) => string): string {
  if (query.length === 0) return shown;
  const small = shown.toLowerCase();
  // A few letters change their length in small; then nobody knows where the hits are.
  const match = small.length === shown.length ? fuzzyMatch(query, small) : undefined;
  if (!match) return shown;
  const hits = new Set(match.hits);
  let [out, open] = ['', ''];
  let index = 0;
  for (const segment of graphemes(shown)) {
    let isHit = false;
    for (let at = index; at < index + segment.length; at += 1) isHit ||= hits.has(at);
    index += segment.length;
    if (isHit) open += segment;
    else {
      out += (open === '' ? '' : mark(open)) + segment;
      open = '';
    }
  }
  return open === '' ? out : out + mark(open);
}
