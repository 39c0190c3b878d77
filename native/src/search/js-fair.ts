/** Fair limits: the steps of crates/search/src/fair.rs. */
import type { FileHits, LineHit } from './js-lines.ts';

/** Which matches of a file are on the page. */
export interface Chosen {
  readonly first: number;
  readonly end: number;
}

/** Deals the matches of all files in rounds and cuts out the page. */
export function choose(counts: readonly number[], offset: number, limit: number): Chosen[] {
  const chosen = counts.map(() => ({ first: 0, end: 0 }));
  let active = counts.map((_, file) => file).filter((file) => (counts[file] ?? 0) > 0);
  const end = offset + limit;
  let dealt = 0;
  for (let round = 0; dealt < end && active.length > 0; round += 1) {
    for (const file of active) {
      if (dealt >= end) break;
      const slot = chosen[file];
      if (!slot) continue;
      if (dealt < offset) slot.first = round + 1;
      slot.end = round + 1;
      dealt += 1;
    }
    active = active.filter((file) => (counts[file] ?? 0) > round + 1);
  }
  return chosen;
}

/** Reduces a file's hits to the chosen matches and the context that belongs to them. */
export function trim(hits: FileHits, chosen: Chosen, before: number, after: number): FileHits {
  let matches = 0;
  const lines = hits.lines.map((line) => {
    if (line.column > 0) matches += 1;
    return { line, chosen: line.match && matches > chosen.first && matches <= chosen.end };
  });
  const numbers = lines.filter((entry) => entry.chosen).map((entry) => entry.line.number);
  const shownLines: LineHit[] = [];
  let near = 0;
  for (const { line, chosen: isChosen } of lines) {
    while ((numbers[near] ?? Infinity) < line.number - after) near += 1;
    if (isChosen) shownLines.push(line);
    // A context line stays when a chosen match is close enough; a match that was not chosen is context now.
    else if ((numbers[near] ?? Infinity) <= line.number + before) shownLines.push({ ...line, column: 0, match: false });
  }
  return {
    path: hits.path,
    matches: chosen.end - chosen.first,
    more: hits.more || chosen.end < hits.matches,
    lines: shownLines,
  };
}

/** The number of leading matches that fit into `budget` bytes. */
export function fitting(hits: FileHits, budget: number): number {
  let used = 0;
  let matches = 0;
  for (const line of hits.lines) {
    used += Buffer.byteLength(line.text) + 1 + 16;
    if (used > budget) break;
    if (line.column > 0) matches += 1;
  }
  return matches;
}
