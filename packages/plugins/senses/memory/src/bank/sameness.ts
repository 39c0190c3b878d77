/** Whether two texts say the same. Numbers, names and negations decide: without them, two sentences that differ in a port are one. */
import { terms, words } from './terms.ts';

/** How many of their words two texts must share. */
const ENOUGH = 0.8;
const NEGATION = /^(?:not|no|never|without|none|nor|cannot|isn|aren|don|doesn|won|shouldn|mustn|n)$/;

/** The text without what does not matter: case, spaces, quotation marks, marks at its end. */
export function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[`"'\u2018-\u201F]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?;,\s]+$/, '');
}

/** Whether one of two texts is enough. */
export function isSame(one: string, other: string): boolean {
  if (normalized(one) === normalized(other)) return true;
  const [a, b] = [terms(one), terms(other)];
  if (!sameSet(hardWords(one), hardWords(other))) return false;
  const shared = [...a].filter((term) => b.has(term)).length;
  const all = a.size + b.size - shared;
  return all > 0 && shared / all >= ENOUGH;
}

/** Words that change the meaning when they differ: with digits, names of code, negations. */
function hardWords(text: string): Set<string> {
  const names = text.match(/\S*[\d_/\\@:=.~$|&<>-]\S+|\S*\d\S*|`[^`]*`/g) ?? [];
  return new Set([
    ...names.map((name) =>
      name
        .replace(/[`"'.,;:!?()[\]{}]+$/g, '')
        .replace(/^[`"'([{]+/g, '')
        .toLowerCase(),
    ),
    ...words(text).filter((word) => NEGATION.test(word)),
  ]);
}

function sameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((value) => b.has(value));
}
