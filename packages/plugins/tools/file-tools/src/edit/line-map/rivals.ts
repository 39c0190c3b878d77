/** Whether a range of old lines belongs to one place and nowhere else. */
import { type Candidate, candidatesFor, measure, sharedLines, twinsOf } from './alike.ts';
import { isAsOften, isGapAsOften } from './copies.ts';
import type { Landmarks } from './landmarks.ts';
import type { TwoVersions } from './two-versions.ts';

/** Surroundings that may have gaps are compared up to here. */
const MAX_REACH = 80;
/** Beside copied lines, so many lines on each side have to tell the original from the copy. */
const COPY_MARGIN = 3;

/** Compares a place with all others that read alike. */
export class Rivals {
  readonly #versions: TwoVersions;
  readonly #landmarks: Landmarks;

  constructor(versions: TwoVersions, landmarks: Landmarks) {
    this.#versions = versions;
    this.#landmarks = landmarks;
  }

  /** Whether the range belongs to `at`: all that reads alike, then or now, fits worse above *and* below. */
  hasNone(start: number, end: number, at: number, candidates: readonly Candidate[]): boolean {
    const versions = this.#versions;
    const length = end - start;
    if (length === 0 && ![start - 1, start].every((line) => this.#isSureLine(line, at + line - start))) return false;
    if (length === 0 && !isGapAsOften(versions, this.#landmarks, start)) return false;
    if (length > 0 && !isAsOften(versions, this.#landmarks, start, end)) return false;
    const own = measure(versions, start, end, at);
    const twins = twinsOf(versions, start, end);
    // There are more of them than there were: somebody has copied these lines, and may have changed a line beside the original since.
    const margin = twins && candidates.length > twins.length + 1 ? COPY_MARGIN : 1;
    const sharedAbove = (old: number, now: number, reach: number) => sharedLines(versions, { old, now }, -1, reach);
    const sharedBelow = (old: number, now: number, reach: number) =>
      sharedLines(versions, { old: old + length, now: now + length }, 1, reach);
    /** Fits worse line by line, and also when lines between were changed: a copy is whole where its original is not. */
    const isWorse = (from: number, rival: Candidate, reach: number) =>
      rival.above < own.above &&
      rival.below < own.below &&
      sharedAbove(from, rival.at, reach) + margin <= sharedAbove(start, at, reach) &&
      sharedBelow(from, rival.at, reach) + margin <= sharedBelow(start, at, reach);
    const reachTo = (distance: number) => Math.min(MAX_REACH, 10 + 2 * Math.abs(distance));
    const shift = versions.now.length - versions.old.length;
    const { isBelowStart, isAboveEnd } = versions.edges(start, end);
    const isByEdge = (isBelowStart && at === start) || (isAboveEnd && at === start + shift);
    // A rival that is accounted for as another part of the unchanged start or end is none, if something that is there once keeps the two apart.
    const isKnown = (version: 'old' | 'now', place: number, isOfAnother: (shifted: 'start' | 'end') => boolean) =>
      ((place + length < versions.surePrefix && isOfAnother('start')) ||
        (place > versions[version].length - versions.sureSuffix && isOfAnother('end'))) &&
      (isByEdge || this.#landmarks.isBetween(version, place, version === 'old' ? start : at));
    for (const rival of candidates) {
      if (rival.at === at || isWorse(start, rival, reachTo(rival.at - at))) continue;
      const isOfAnother = (side: 'start' | 'end') => rival.at - (side === 'end' ? shift : 0) !== start;
      if (!isKnown('now', rival.at, isOfAnother)) return false;
    }
    return (
      twins?.every((twin) => {
        if (isWorse(twin, measure(versions, twin, twin + length, at), reachTo(twin - start))) return true;
        return isKnown('old', twin, (side) => twin + (side === 'end' ? shift : 0) !== at);
      }) ?? false
    );
  }

  /** The lines around a gap have to be the ones they were, each by itself. Those without words are too many to be compared. */
  #isSureLine(line: number, at: number): boolean {
    const { old } = this.#versions;
    if (line < 0 || line >= old.length) return true;
    if (!this.#versions.hasWords(old[line] ?? 0)) return isAsOften(this.#versions, this.#landmarks, line, line + 1);
    const candidates = candidatesFor(this.#versions, line, line + 1);
    return candidates !== undefined && this.hasNone(line, line + 1, at, candidates);
  }
}
