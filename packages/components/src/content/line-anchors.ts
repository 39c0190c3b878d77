/** Lines that occur once in both texts hold a large difference together: between them little is left to compare. */

/** A line's places in the two texts. */
export interface Anchor {
  readonly before: number;
  readonly after: number;
}

/** The longest run of such lines that stand in the same order in both texts. */
export function lineAnchors(before: readonly string[], after: readonly string[]): Anchor[] {
  const places = uniquePlaces(after);
  const pairs: Anchor[] = [];
  for (const [line, at] of uniquePlaces(before)) {
    const other = at < 0 ? -1 : (places.get(line) ?? -1);
    if (other >= 0) pairs.push({ before: at, after: other });
  }
  return longestRise(pairs);
}

/** The place of each line; -1 for one that occurs again. */
function uniquePlaces(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [at, line] of lines.entries()) places.set(line, places.has(line) ? -1 : at);
  return places;
}

/** Pairs come in the order of the old text; those are kept whose places in the new one rise, as many as possible. */
function longestRise(pairs: readonly Anchor[]): Anchor[] {
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [at, pair] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.after ?? 0) < pair.after) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = at;
  }
  const chain: Anchor[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair) chain.push(pair);
  }
  return chain.reverse();
}
