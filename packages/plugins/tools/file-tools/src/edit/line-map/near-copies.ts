/**
 * Lines that came and read almost like one that is still there: with another word, a comment, other blanks. Somebody may have copied that line and
 * changed one of the two, so they count as one more of it.
 */

/** So much of the longer line has to be the same at its start and end. */
const ALIKE = 0.6;
/** A line that is a part of another has at least so many characters. */
const SHORTEST_PART = 4;
/** Comparing more pairs than this would take too long; files that differ so much have few lines that are found at all. */
const MAX_PAIRS = 1_000_000;

/** A line of one of the versions, with its number. */
interface NumberedLine {
  readonly id: number;
  readonly text: string;
}

/** For each line that came: the number of the line that it could be a changed copy of. One that is like several lines, or like one that went, is none. */
export function nearCopies(
  came: readonly NumberedLine[],
  old: readonly (NumberedLine & { readonly isGone: boolean })[],
): Map<number, number> {
  const copies = new Map<number, number>();
  if (came.length * old.length > MAX_PAIRS) return copies;
  const bare = old.map((line) => ({ ...line, text: withoutBlanks(line.text) }));
  const gone = new Set(bare.flatMap(({ isGone, text }) => (isGone ? [text] : [])));
  for (const { id, text } of came) {
    const own = withoutBlanks(text);
    // Only its blanks were changed.
    if (gone.has(own)) continue;
    let best = 0;
    let nearest: number | undefined;
    for (const other of bare) {
      const likeness = likenessOf(own, other.text);
      if (likeness === 0 || likeness < best) continue;
      nearest = other.isGone || likeness === best ? undefined : other.id;
      best = likeness;
    }
    if (nearest !== undefined) copies.set(id, nearest);
  }
  return copies;
}

/** From `ALIKE` to 1; 0 when they are not alike. */
function likenessOf(one: string, other: string): number {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  let start = 0;
  while (start < shorter.length && shorter.charCodeAt(start) === longer.charCodeAt(start)) start++;
  const shift = longer.length - shorter.length;
  let end = shorter.length;
  while (end > start && shorter.charCodeAt(end - 1) === longer.charCodeAt(end - 1 + shift)) end--;
  const share = (start + shorter.length - end) / longer.length;
  // One that had something put before it or behind it is all there.
  if (start === end && shorter.length >= SHORTEST_PART) return ALIKE + (1 - ALIKE) * share;
  return share >= ALIKE ? share : 0;
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
