/** Where Codex would place hunks: at the first place behind the last hunk, and behind the line in the head. */
import { findLines, foldLine } from './fuzzy-lines.ts';
import type { Hunk } from './hunks.ts';

/** The first hunk that Codex would place elsewhere, and both lines: nobody can say which was meant. */
export function otherThanCodex(
  lines: readonly string[],
  hunks: readonly Hunk[],
  placed: readonly { readonly at: number; readonly hunk: Hunk }[],
): { readonly number: number; readonly lines: readonly number[] } | undefined {
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const ours = placed[index];
    if (!ours) continue;
    if (hunk.isAfterBlank) from = lines.findIndex((line) => line.trim() === '') + 1;
    for (const anchor of hunk.anchors) {
      const wanted = foldLine(anchor, 'indent');
      const named = lines.findIndex((line, row) => row >= from && foldLine(line, 'indent') === wanted);
      if (named >= 0) from = named + 1;
    }
    const theirs = hunk.old.length === 0 ? ours.at : firstPlace(lines, hunk, from);
    if (theirs !== undefined && theirs !== ours.at) {
      const rows = [theirs, ours.at].map((at) => Math.min(at, lines.length - 1) + 1);
      return { number: index + 1, lines: rows.toSorted((a, b) => a - b) };
    }
    from = ours.at + ours.hunk.old.length;
  }
  return undefined;
}

/** An empty line at the end of a hunk need not be there; a hunk that only adds without it goes to the end of the file. */
function firstPlace(lines: readonly string[], { old, atEnd }: Hunk, from: number): number | undefined {
  for (const wanted of old.at(-1) === '' ? [old, old.slice(0, -1)] : [old]) {
    if (wanted.length === 0) return lines.length;
    for (const how of ['exact', 'loose', 'indent'] as const) {
      const places = findLines(lines, wanted, how).filter((at) => at >= from);
      if (places.length > 0) return atEnd ? places.at(-1) : places[0];
    }
  }
  return undefined;
}
