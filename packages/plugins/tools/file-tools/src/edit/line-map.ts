/**
 * Where lines of a file as it was read are in the file as it is now: by proof, or not at all.
 *
 * A diff would always have an answer, and where lines repeat that answer is a guess. Here a place counts when
 * everything from the file's start or end up to it is unchanged, or when the lines stand between the same landmarks:
 * the nearest lines that both files have once. Lines that are there more than once (or were) must fit better than every
 * rival *on both sides*: a block that was copied beside itself fits one way at its start and the other way at its end.
 *
 * The parts of the proof are in `line-map/`: the two versions, landmarks, places that read alike, rivals, signs of a copy.
 */
import { type Candidate, candidatesFor, measure, twinsOf } from './line-map/alike.ts';
import { canBeTorn, isGapAsOften, isMoreBehind, isReplaced } from './line-map/copies.ts';
import { Landmarks } from './line-map/landmarks.ts';
import { Rivals } from './line-map/rivals.ts';
import { lineAt, TwoVersions } from './line-map/two-versions.ts';

/** Where the lines are, or why that cannot be said. */
export type Located = { readonly at: number } | { readonly reason: 'changed' | 'repeated' };

/** Two versions of a file, line by line. Blanks at line ends do not count. */
export class LineMap {
  readonly isSame: boolean;
  readonly #versions: TwoVersions;
  readonly #landmarks: Landmarks;
  readonly #rivals: Rivals;
  /** The same without indentation, where that was changed: then a line may read like one that was indented otherwise. */
  readonly #bare: LineMap | undefined;

  constructor(old: readonly string[], now: readonly string[]) {
    this.#bare = hasReindented(old, now) ? new LineMap(old.map(withoutIndent), now.map(withoutIndent)) : undefined;
    this.#versions = new TwoVersions(old, now);
    this.#landmarks = new Landmarks(this.#versions);
    this.#rivals = new Rivals(this.#versions, this.#landmarks);
    this.isSame = this.#versions.isSame;
  }

  /** Where lines `start` to before `end` of the old file are now. With `start` = `end`: the gap between two lines. */
  locate(start: number, end: number): Located {
    const place = this.#locate(start, end);
    if (!('at' in place)) return place;
    const bare = this.#bare?.locate(start, end);
    return bare && 'at' in bare && bare.at !== place.at ? { reason: 'repeated' } : place;
  }

  #locate(start: number, end: number): Located {
    if (this.isSame) return { at: start };
    const [before, after] = [this.#versions.old.length, this.#versions.now.length];
    const { isBelowStart, isAboveEnd } = this.#versions.edges(start, end);
    if (isBelowStart && isAboveEnd && before !== after) return { reason: 'repeated' };
    if (!isBelowStart && !isAboveEnd) return this.#find(start, end);
    const at = isBelowStart ? start : start + after - before;
    const candidates = candidatesFor(this.#versions, start, end);
    const isSure = candidates && this.#rivals.hasNone(start, end, at, candidates);
    return isSure && !this.#hasLooseEdge(start, end, measure(this.#versions, start, end, at))
      ? { at }
      : { reason: 'repeated' };
  }

  /** Where the gap beside a line is now, for an insert that belongs to the line above (or below) it. It must not have been torn open. */
  locateGap(gap: number, beside: 'above' | 'below'): Located {
    const { old, now } = this.#versions;
    const [line, other] = beside === 'above' ? [gap - 1, gap] : [gap, gap - 1];
    const place = this.locate(line, line + 1);
    if (!('at' in place)) return place;
    if (!this.isSame && !isGapAsOften(this.#versions, this.#landmarks, gap)) return { reason: 'repeated' };
    const wanted = beside === 'above' ? place.at + 1 : place.at - 1;
    const isEdge = other < 0 || other >= old.length;
    const isEdgeNow = wanted < 0 || wanted >= now.length;
    const mapped = isEdge ? undefined : this.#landmarks.placeOf(other);
    if (isEdge !== isEdgeNow || (mapped !== undefined && mapped !== wanted)) return { reason: 'changed' };
    const isTornOpen = lineAt(now, wanted) !== lineAt(old, other);
    if (isTornOpen && isMoreBehind(this.#versions, line, beside === 'above' ? -1 : 1)) return { reason: 'repeated' };
    return { at: beside === 'above' ? place.at + 1 : place.at };
  }

  /** The lines of the new file in which the old ones would have to be: between the landmarks around them. */
  surroundings(start: number, end: number): { readonly start: number; readonly end: number } {
    const { above, below } = this.#landmarks.around(start, end);
    return { start: above === undefined ? 0 : above.now + 1, end: below?.now ?? this.#versions.now.length };
  }

  #find(start: number, end: number): Located {
    const candidates = candidatesFor(this.#versions, start, end);
    if (candidates?.length === 0) return { reason: 'changed' };
    const proven = candidates?.filter(({ at }) => this.#rivals.hasNone(start, end, at, candidates)) ?? [];
    const [onlyMove] = proven;
    if (!onlyMove || proven.length > 1) return { reason: 'repeated' };
    const landmarks = this.#landmarks.around(start, end);
    const stopsAt = onlyMove.at + end - start;
    const isInOrder =
      (landmarks.above === undefined || landmarks.above.now < onlyMove.at) &&
      (landmarks.below === undefined || landmarks.below.now >= stopsAt);
    if (!isInOrder) return { reason: 'repeated' };
    // Of equal lines in a row any could be gone, and lines without words could be anybody's: then both sides must be as they were.
    const isOfRun =
      end > start && (this.#isRun(start - 1, start) || this.#isRun(end - 1, end) || !this.#hasWords(start, end));
    if (isOfRun && (onlyMove.above === 0 || onlyMove.below === 0)) return { reason: 'changed' };
    if (end > start && this.#isTorn(start, end, onlyMove)) return { reason: 'repeated' };
    // Lines that are there more than once (or were) are told apart by what is beside them, so something has to be.
    const isRepeated = (candidates?.length ?? 0) > 1 || twinsOf(this.#versions, start, end)?.length !== 0;
    if (isRepeated && (onlyMove.above === 0 || onlyMove.below === 0)) return { reason: 'repeated' };
    const weight = this.#versions.weight(start - onlyMove.above, end + onlyMove.below);
    const isBetween = landmarks.above !== undefined && landmarks.below !== undefined;
    const isEnough = weight >= 2 || (weight === 1 && isBetween && end > start);
    if (!isEnough) return { reason: 'changed' };
    // Beside a copy, a landmark of the copied block can be on one side only: the original's own may be gone.
    const isCopied = this.#versions.old.subarray(start, end).some((id) => this.#versions.isMore(id));
    if (isCopied && !isBetween) return { reason: 'repeated' };
    if (this.#isOfAnother(start, end, onlyMove)) return { reason: 'repeated' };
    return isReplaced(this.#versions, start, end, onlyMove) ? { reason: 'repeated' } : { at: onlyMove.at };
  }

  /**
   * Whether the lines went, and others like them came as a part of something new elsewhere. Of lines that were only moved, those beside them were there before.
   */
  #isOfAnother(start: number, end: number, { at, above, below }: Candidate): boolean {
    const { old, now } = this.#versions;
    const landmarks = this.#landmarks.around(Math.max(0, start - above), Math.min(old.length, end + below));
    const isMoved =
      (landmarks.above !== undefined && landmarks.above.now >= at) ||
      (landmarks.below !== undefined && landmarks.below.now < at);
    const isNew = (place: number) => place >= 0 && place < now.length && !old.includes(now[place] ?? -1);
    return isMoved && (isNew(at - above - 1) || isNew(at + end - start + below));
  }

  /** Whether the first or last line of the range could be another: also one that is there more than once and has rivals by itself. */
  #isTorn(start: number, end: number, place: Candidate): boolean {
    if (this.#hasLooseEdge(start, end, place)) return true;
    const { old } = this.#versions;
    return [start, end - 1].some((line) => {
      if (end - start === 1 || !this.#versions.isRepeated(old[line] ?? 0)) return false;
      const candidates = candidatesFor(this.#versions, line, line + 1);
      return !candidates || !this.#rivals.hasNone(line, line + 1, place.at + line - start, candidates);
    });
  }

  /** Whether the first or last line could be another: one without words needs a line with words beside it that is as it was. */
  #hasLooseEdge(start: number, end: number, place: Candidate): boolean {
    if (start === end) return false;
    const isEdgeAbove = start - place.above < 0;
    const isEdgeBelow = end + place.below > this.#versions.old.length;
    if (!this.#hasWords(start, start + 1) && !isEdgeAbove && !this.#hasWords(start - place.above, start)) return true;
    if (!this.#hasWords(end - 1, end) && !isEdgeBelow && !this.#hasWords(end, end + place.below)) return true;
    return canBeTorn(this.#versions, start, end, place);
  }

  #hasWords(from: number, until: number): boolean {
    return this.#versions.weight(from, until) > 0;
  }

  #isRun(one: number, next: number): boolean {
    const { old } = this.#versions;
    return one >= 0 && next < old.length && old[one] === old[next];
  }
}

const withoutIndent = (line: string): string => line.trimStart();

/** Whether a line with words is gone that is there with another indentation now. */
function hasReindented(old: readonly string[], now: readonly string[]): boolean {
  const known = new Set(old);
  const came = new Set(now.filter((line) => !known.has(line)).map(withoutIndent));
  const left = new Set(now);
  return old.some((line) => !left.has(line) && came.has(withoutIndent(line)));
}
