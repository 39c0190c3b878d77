/** Places that read like a range of old lines, and how well each fits into its surroundings. */
import { lineAt, type TwoVersions } from './two-versions.ts';

const MAX_PLACES = 500;
const MAX_CONTEXT = 400;

/** A place in the new version. */
export interface Candidate {
  readonly at: number;
  /** Equal lines next to it; the file's edge counts as one. */
  readonly above: number;
  readonly below: number;
}

/** All places in the new version that read like the range; for a gap, the two lines around it. Undefined when there are too many. */
export function candidatesFor(versions: TwoVersions, start: number, end: number): Candidate[] | undefined {
  const candidates: Candidate[] = [];
  for (const at of possibleStarts(versions, start, end)) {
    if (!readsLike(versions, versions.now, at, start, end)) continue;
    if (candidates.length === MAX_PLACES) return undefined;
    candidates.push(measure(versions, start, end, at));
  }
  return candidates;
}

function possibleStarts(versions: TwoVersions, start: number, end: number): Iterable<number> {
  const { old } = versions;
  if (end > start) {
    // The rarest line of the range leads to the fewest places.
    const placesAt = (line: number) => versions.placesOf(lineAt(old, line));
    let rarest = start;
    for (let line = start; line < end; line++) if (placesAt(line).length < placesAt(rarest).length) rarest = line;
    return placesAt(rarest).map((place) => place - (rarest - start));
  }
  if (start === 0) return [0];
  return versions.placesOf(lineAt(old, start - 1)).map((place) => place + 1);
}

/** Other places of the old version that read like the range. Undefined when there are too many. */
export function twinsOf(versions: TwoVersions, start: number, end: number): number[] | undefined {
  const { old } = versions;
  const twins: number[] = [];
  const first = old[end > start ? start : start - 1];
  for (let at = 0; at <= old.length; at++) {
    if (at === start || (end > start && old[at] !== first)) continue;
    if (!readsLike(versions, old, at, start, end)) continue;
    if (twins.length === MAX_PLACES) return undefined;
    twins.push(at);
  }
  return twins;
}

/** Whether lines of a version read like the old range; for a gap, the two lines around it. */
export function readsLike({ old }: TwoVersions, lines: Int32Array, at: number, start: number, end: number): boolean {
  if (at < 0 || at + end - start > lines.length) return false;
  for (let line = start; line < end; line++) if (lines[at + line - start] !== old[line]) return false;
  if (end > start) return true;
  return lineAt(lines, at - 1) === lineAt(old, start - 1) && lineAt(lines, at) === lineAt(old, start);
}

/** How far the surroundings of the old lines and those of a place in the new version are the same. */
export function measure({ old, now }: TwoVersions, start: number, end: number, at: number): Candidate {
  let above = 0;
  while (above < MAX_CONTEXT && lineAt(now, at - 1 - above) === lineAt(old, start - 1 - above)) {
    if (start - 1 - above++ < 0) break;
  }
  let below = 0;
  const after = at + end - start;
  while (below < MAX_CONTEXT && lineAt(now, after + below) === lineAt(old, end + below)) {
    if (end + below++ >= old.length) break;
  }
  return { at, above, below };
}

/** How many lines above (-1) or below (1) an old place are, in order, also there at a new one. It takes the square of `reach`. */
export function sharedLines(
  versions: TwoVersions,
  places: { readonly old: number; readonly now: number },
  way: 1 | -1,
  reach: number,
): number {
  const { old, now } = versions;
  const [fromOld, fromNow] = way === 1 ? [places.old, places.now] : [places.old - 1, places.now - 1];
  // Both windows end with the old version.
  const size = Math.min(reach, 1 + (way === 1 ? old.length - fromOld : fromOld + 1));
  let row = new Uint16Array(size + 1);
  for (let step = 0; step < size; step++) {
    const line = lineAt(old, fromOld + way * step);
    const next = new Uint16Array(size + 1);
    for (let other = 0; other < size; other++) {
      const isSame = lineAt(now, fromNow + way * other) === line;
      next[other + 1] = isSame ? (row[other] ?? 0) + 1 : Math.max(row[other + 1] ?? 0, next[other] ?? 0);
    }
    row = next;
  }
  return row[size] ?? 0;
}
