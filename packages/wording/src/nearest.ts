/** The candidate that a reader most likely meant, or nothing when none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  // Two letters in the wrong order are the most common slip: `--modle` is `--model`, although `--mode` is as near.
  const swapped = all.find((candidate) => isSwap(word.toLowerCase(), candidate.toLowerCase()));
  if (swapped !== undefined) return swapped;
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.max(1, Math.floor(word.length / 2))) + 1;
  for (const candidate of all) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance + 1);
    // Of two that are as near, the one that only lacks letters here: `--modl` is `--model`, not `--mode`.
    const isBetter = distance === bestDistance && best !== undefined && !lacks(word, best) && lacks(word, candidate);
    if (distance < bestDistance || isBetter) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The sentence that offers the nearest candidate, ready to stand behind another one. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? '' : ` Did you mean "${candidate}"?`;
}

/** Whether the word becomes the candidate by letters that are put in. */
function lacks(word: string, candidate: string): boolean {
  let at = 0;
  for (const letter of candidate.toLowerCase()) if (letter === word[at]?.toLowerCase()) at += 1;
  return at === word.length;
}

/** Whether two neighbouring letters, and nothing else, changed places. */
function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Levenshtein distance, given up as soon as it must reach `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    if (Math.min(...current) >= limit) return limit;
    previous = current;
  }
  return previous[b.length] ?? limit;
}
