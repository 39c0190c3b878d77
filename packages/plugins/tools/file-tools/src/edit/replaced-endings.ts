/** Line endings of a text that takes the place of another one. */
import { lineChanges } from './line-changes.ts';

const ENDING = /\r?\n/;

/**
 * `substitute` with the line endings of `old`, which it replaces: where those differ, lines that both texts have keep their own, and new lines take
 * those of the lines that they replace or stand next to. `usual` is the ending around the place, for an `old` without any.
 */
export function withEndingsOf(old: string, substitute: string, usual: '\n' | '\r\n'): string {
  const endings = old.match(new RegExp(ENDING, 'g')) ?? [];
  if (new Set(endings).size < 2) return substitute.replaceAll(new RegExp(ENDING, 'g'), usual);
  const before = old.split(ENDING);
  const now = substitute.split(ENDING);
  const taken: (string | undefined)[] = [];
  let from = 0;
  const keep = (until: number): void => {
    for (; from < until; from++) taken.push(endings[from]);
  };
  for (const { start, end, lines } of lineChanges(before, now)) {
    keep(start);
    for (const index of lines.keys())
      taken.push(end > start ? endings[Math.min(start + index, end - 1)] : (endings[start] ?? endings[start - 1]));
    from = end;
  }
  keep(before.length);
  return now.map((line, at) => (at === now.length - 1 ? line : line + (taken[at] ?? endings.at(-1) ?? usual))).join('');
}
