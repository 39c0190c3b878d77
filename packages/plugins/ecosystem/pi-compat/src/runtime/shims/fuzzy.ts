/** Whether all letters of the query stand in the text, in this order; how far apart they are. */
export function fuzzyMatch(query: string, text: string): { matches: boolean; score: number } {
  const [small, all] = [query.toLowerCase(), text.toLowerCase()];
  let at = -1;
  let score = 0;
  for (const letter of small) {
    const next = all.indexOf(letter, at + 1);
    if (next === -1) return { matches: false, score: 0 };
    score += next - at - 1;
    at = next;
  }
  return { matches: true, score };
}

/** The items that fit every word of a query, best first. */
export function fuzzyFilter<T>(items: readonly T[], query: string, textOf: (item: T) => string): T[] {
  const words = query.split(/[\s/]+/).filter(Boolean);
  if (words.length === 0) return [...items];
  return items
    .map((item) => ({ item, matches: words.map((word) => fuzzyMatch(word, textOf(item))) }))
    .filter(({ matches }) => matches.every((match) => match.matches))
    .map(({ item, matches }) => ({ item, score: matches.reduce((sum, { score }) => sum + score, 0) }))
    .sort((a, b) => a.score - b.score)
    .map(({ item }) => item);
}
