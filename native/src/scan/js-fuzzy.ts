/** The ranking of crates/scan/src/fuzzy.rs, with the same integers and the same steps. */

const MATCHED = 16;
const SAME_CASE = 1;
const IN_NAME = 3;
const NEIGHBOUR = 9;
const GAP_OPENS = 3;
const GAP_GROWS = 1;
const NAME_START = 14;
const FOLDER_START = 10;
const WORD_START = 8;
const HUMP = 7;
const NUMBER_START = 5;
const WHOLE_PATH = 96;
const WHOLE_NAME = 64;
const WHOLE_STEM = 48;
const NAME_PREFIX = 32;
const WHOLE_FOLDER = 24;
const IMPOSSIBLE = -(2 ** 30);

/** A score and the path's length in characters, or nothing when a word does not match. */
export type Scorer = (path: string) => { readonly score: number; readonly length: number } | undefined;

interface Word {
  readonly typed: readonly string[];
  readonly folded: readonly string[];
}

/** Prepares a query: words separated by blanks, a backslash stands for the separator. */
export function scorer(query: string): Scorer {
  const words: Word[] = query
    .split(/\p{White_Space}+/u)
    .filter((word) => word !== '')
    .map((word) => {
      const typed = [...word.replaceAll('\\', '/')];
      return { typed, folded: typed.map(fold) };
    });
  return (text) => {
    const path = [...text];
    const folded = path.map(fold);
    if (!words.every((word) => isSubsequence(word.folded, folded))) return undefined;
    const nameAt = path.lastIndexOf('/') + 1;
    const bonus = bonuses(path, nameAt);
    let score = 0;
    for (const word of words)
      score += placement(word, path, folded, bonus, nameAt) + whole(word.folded, folded, nameAt);
    return { score, length: path.length };
  };
}

function bonuses(path: readonly string[], nameAt: number): number[] {
  return path.map((current, at) => {
    const before = path[at - 1] ?? '/';
    if (at === nameAt) return NAME_START;
    if (before === '/') return FOLDER_START;
    // oxlint-disable-next-line no-control-regex -- the whole ASCII range is meant
    if (/^[\0-\x7f]$/u.test(before) && !/^[\dA-Za-z]$/u.test(before)) return WORD_START;
    if (/^[a-z]$/u.test(before) && /^[A-Z]$/u.test(current)) return HUMP;
    if (!/^\d$/u.test(before) && /^\d$/u.test(current)) return NUMBER_START;
    return 0;
  });
}

/** The best placement of one word; `row[at]` is the best score with the current letter there. */
function placement(
  word: Word,
  path: readonly string[],
  folded: readonly string[],
  bonus: readonly number[],
  nameAt: number,
): number {
  let above = new Array<number>(path.length).fill(IMPOSSIBLE);
  word.folded.forEach((letter, index) => {
    const row = new Array<number>(path.length).fill(IMPOSSIBLE);
    let gap = IMPOSSIBLE;
    for (let at = index; at < path.length; at += 1) {
      if (at >= 2) gap = Math.max(gap - GAP_GROWS, (above[at - 2] ?? IMPOSSIBLE) - GAP_OPENS);
      if (folded[at] !== letter) continue;
      const own = bonus[at] ?? 0;
      const base = MATCHED + (path[at] === word.typed[index] ? SAME_CASE : 0) + (at >= nameAt ? IN_NAME : 0);
      const neighbour = (above[at - 1] ?? IMPOSSIBLE) + Math.max(own, NEIGHBOUR);
      row[at] = base + (index === 0 ? own : Math.max(neighbour, gap + own));
    }
    above = row;
  });
  return above.reduce((best, score) => Math.max(best, score), IMPOSSIBLE);
}

function whole(word: readonly string[], path: readonly string[], nameAt: number): number {
  const same = (part: readonly string[]): boolean =>
    part.length === word.length && part.every((letter, index) => letter === word[index]);
  const name = path.slice(nameAt);
  const dot = name.lastIndexOf('.');
  const tailAt = path.length - word.length;
  if (same(path)) return WHOLE_PATH;
  if (same(name) || (tailAt > 0 && path[tailAt - 1] === '/' && same(path.slice(tailAt)))) return WHOLE_NAME;
  if (same(dot > 0 ? name.slice(0, dot) : name)) return WHOLE_STEM;
  if (name.length > word.length && same(name.slice(0, word.length))) return NAME_PREFIX;
  const folders = path.join('').split('/');
  return folders.includes(word.join('')) ? WHOLE_FOLDER : 0;
}

/** Lower case where that is one character, so that positions stay what they are. */
function fold(character: string): string {
  const lower = character.toLowerCase();
  return [...lower].length === 1 ? lower : character;
}

function isSubsequence(word: readonly string[], path: readonly string[]): boolean {
  let at = 0;
  for (const letter of path) if (letter === word[at]) at += 1;
  return at >= word.length;
}
