/** Signs that somebody has copied lines: then those that read alike may be the copy, and the original may have been changed since. */
import { type Candidate, measure, readsLike } from './alike.ts';
import type { Landmarks } from './landmarks.ts';
import { lineAt, type TwoVersions } from './two-versions.ts';

/** What stands in the place of other lines may be longer by so many. */
const REPLACED_MARGIN = 2;

/**
 * Whether the lines are as often between their landmarks as they were, and none of those around them is there more often. If not, one of them is
 * a copy, or one of several is gone. How well each fits does not tell which: people copy a block and go on to change either of the two.
 */
export function isAsOften(versions: TwoVersions, landmarks: Landmarks, start: number, end: number): boolean {
  const { old, now } = versions;
  const { above, below } = landmarks.around(start, end);
  const [oldFrom, oldUntil] = [(above?.old ?? -1) + 1, below?.old ?? old.length];
  const [nowFrom, nowUntil] = [(above?.now ?? -1) + 1, below?.now ?? now.length];
  const count = (lines: Int32Array, from: number, until: number) => {
    let found = 0;
    for (let at = from; at <= until - (end - start); at++) if (readsLike(versions, lines, at, start, end)) found++;
    return found;
  };
  if (count(now, nowFrom, nowUntil) !== count(old, oldFrom, oldUntil)) return false;
  const more = new Map<number, number>();
  for (const id of old.subarray(oldFrom, oldUntil)) if (versions.hasWords(id)) more.set(id, (more.get(id) ?? 0) - 1);
  for (const id of now.subarray(nowFrom, Math.max(nowFrom, nowUntil))) {
    const known = more.get(versions.countsAs(id));
    if (known !== undefined) more.set(versions.countsAs(id), known + 1);
  }
  return [...more.values()].every((surplus) => surplus <= 0);
}

/** Whether lines without words beside a gap are as often as they were, also if the line on its other side is a copy. */
export function isGapAsOften(versions: TwoVersions, landmarks: Landmarks, gap: number): boolean {
  const { above, below } = landmarks.around(gap - 1, gap + 1);
  const count = (lines: Int32Array, id: number, from = -1, until = lines.length) =>
    lines.subarray(from + 1, Math.max(from + 1, until)).filter((other) => other === id).length;
  return [gap - 1, gap].every((line) => {
    const id = versions.old[line];
    if (id === undefined || versions.hasWords(id)) return true;
    return count(versions.now, id, above?.now, below?.now) <= count(versions.old, id, above?.old, below?.old);
  });
}

/** Whether there are more of the lines without words that are next to a line than there were: then a copy of both may have torn a gap open. */
export function isMoreBehind(versions: TwoVersions, line: number, way: 1 | -1): boolean {
  const { old } = versions;
  for (let other = line + way; other >= 0 && other < old.length; other += way) {
    const id = old[other] ?? 0;
    if (versions.isMore(id)) return true;
    if (versions.hasWords(id)) return false;
  }
  return false;
}

/**
 * Whether something else stands where the lines were, with all that is the same around them: then they may have been copied from there and changed
 * since. Of lines that were moved away nothing is left.
 */
export function isReplaced(versions: TwoVersions, start: number, end: number, { at, ...same }: Candidate): boolean {
  const { old, now } = versions;
  const [before, behind] = [start - 1 - same.above, end + same.below];
  // The file's edge counts as a line that is the same.
  if (before < -1 || behind > old.length) return false;
  const [first, last] = [lineAt(old, before), lineAt(old, behind)];
  for (let from = -1; from < now.length; from++) {
    if (lineAt(now, from) !== first) continue;
    const limit = Math.min(now.length, from + behind - before + REPLACED_MARGIN);
    for (let until = from + 2; until <= limit; until++) {
      if (lineAt(now, until) !== last || (at > from && at < until)) continue;
      const own = new Set(old.subarray(before + 1, behind));
      if (now.subarray(from + 1, until).every((id) => own.has(id))) continue;
      // Two lines with words have to say that this is where they were; the file's edge is as good as one.
      const above = measure(versions, before + 1, before + 1, from + 1).above;
      const below = measure(versions, behind, behind, until).below;
      const edges = Number(above > before) + Number(behind + below > old.length);
      if (edges + versions.weight(before + 1 - above, before + 1) + versions.weight(behind, behind + below) >= 2)
        return true;
    }
  }
  return false;
}

/**
 * Whether the first or last lines of a range could be those of an equal range that somebody took away beside it: of `} A } B`, without `A }` or
 * without `} A`, the same is left. Then the lines beyond fit the other range better.
 */
export function canBeTorn(versions: TwoVersions, start: number, end: number, own: Candidate): boolean {
  if (end - start < 2) return false;
  const { old } = versions;
  const isRival = (line: number, side: 'above' | 'below') => {
    const id = old[line] ?? 0;
    const place = own.at + line - start;
    // One without words could be any of those that fit as well.
    const enough = own[side] + Number(versions.hasWords(id));
    return old.some(
      (other, twin) => other === id && twin !== line && measure(versions, twin, twin + 1, place)[side] >= enough,
    );
  };
  return isRival(start, 'above') || isRival(end - 1, 'below');
}
