/**
 * Where lines of a file as it was read are in the file as it is now: by proof, or not at all.
 *
 * A diff would always have an answer, and where lines repeat that answer is a guess. Here a place counts when
 * everything from the file's start or end up to it is unchanged, or when the lines stand between the same landmarks:
 * the nearest lines that both files have once. Lines that are there more than once (or were) must fit better than every
 * rival *on both sides*: a block that was copied beside itself fits one way at its start and the other way at its end.
 */

/** Where the lines are, or why that cannot be said. */
export type Located = { readonly at: number } | { readonly reason: 'changed' | 'repeated' };

const MAX_CANDIDATES = 500;
const MAX_CONTEXT = 400;
/** Surroundings that may have gaps are compared up to here: it takes the square of it. */
const MAX_SHARED = 80;
/** Beside copied lines, so many lines on each side have to tell the original from the copy. */
const COPY_MARGIN = 3;
/** So many lines around a landmark may not have been copied. */
const LANDMARK_REACH = 1;
/** What stands in the place of other lines may be longer by so many. */
const REPLACED_MARGIN = 2;
const EDGE = -1;

interface Candidate {
  readonly at: number;
  /** Equal lines next to it; the file's edge counts as one. */
  readonly above: number;
  readonly below: number;
}

/** Two versions of a file, line by line. Blanks at line ends do not count. */
export class LineMap {
  readonly isSame: boolean;
  readonly #old: Int32Array;
  readonly #now: Int32Array;
  readonly #significant: Uint8Array;
  /** How often each line occurs, by id. */
  readonly #oldCounts: Uint32Array;
  readonly #nowCounts: Uint32Array;
  readonly #nowPlaces = new Map<number, number[]>();
  readonly #prefix: number;
  readonly #suffix: number;
  /** The part of both that belongs to one side only: where they overlap, lines were repeated, and either could be meant. */
  readonly #surePrefix: number;
  readonly #sureSuffix: number;
  #marks: { readonly old: Uint32Array; readonly now: Uint32Array } | undefined;

  constructor(old: readonly string[], now: readonly string[]) {
    const ids = new Map<string, number>();
    const idOf = (line: string): number => {
      const text = line.trimEnd();
      const id = ids.get(text) ?? ids.size;
      ids.set(text, id);
      return id;
    };
    this.#old = Int32Array.from(old, idOf);
    this.#now = Int32Array.from(now, idOf);
    this.#significant = new Uint8Array(ids.size);
    for (const [text, id] of ids) this.#significant[id] = /[\p{L}\p{N}]/u.test(text) ? 1 : 0;
    this.#oldCounts = countsOf(this.#old, ids.size);
    this.#nowCounts = countsOf(this.#now, ids.size);
    for (const [at, id] of this.#now.entries()) {
      const places = this.#nowPlaces.get(id);
      if (places) places.push(at);
      else this.#nowPlaces.set(id, [at]);
    }
    const shorter = Math.min(old.length, now.length);
    let prefix = 0;
    while (prefix < shorter && this.#old[prefix] === this.#now[prefix]) prefix++;
    let suffix = 0;
    while (suffix < shorter && this.#old.at(-1 - suffix) === this.#now.at(-1 - suffix)) suffix++;
    this.#prefix = prefix;
    this.#suffix = suffix;
    const overlap = Math.max(0, prefix + suffix - shorter);
    this.#surePrefix = prefix - overlap;
    this.#sureSuffix = suffix - overlap;
    this.isSame = old.length === now.length && prefix === old.length;
  }

  /** Where lines `start` to before `end` of the old file are now. With `start` = `end`: the gap between two lines. */
  locate(start: number, end: number): Located {
    if (this.isSame) return { at: start };
    const [before, after] = [this.#old.length, this.#now.length];
    const { isBelowStart, isAboveEnd } = this.#edges(start, end);
    if (isBelowStart && isAboveEnd && before !== after) return { reason: 'repeated' };
    if (!isBelowStart && !isAboveEnd) return this.#find(start, end);
    const at = isBelowStart ? start : start + after - before;
    const candidates = this.#candidates(start, end);
    return candidates && this.#isUnrivalled(start, end, at, candidates) ? { at } : { reason: 'repeated' };
  }

  /**
   * Whether all from the start of the file through the range is unchanged, or all from it to the end. One line more has to be, or the range could be the
   * first or last of a run of equal ones. Where both overlap, the lines that came or went could have been torn out of it.
   */
  #edges(start: number, end: number): { readonly isBelowStart: boolean; readonly isAboveEnd: boolean } {
    const isSure = this.#prefix === this.#surePrefix;
    return {
      isBelowStart: isSure ? end < this.#prefix : end <= this.#surePrefix,
      isAboveEnd: start > this.#old.length - this.#suffix && (isSure || start >= this.#old.length - this.#sureSuffix),
    };
  }

  /** The lines of the new file in which the old ones would have to be: between the landmarks around them. */
  surroundings(start: number, end: number): { readonly start: number; readonly end: number } {
    const { above, below } = this.#landmarks(start, end);
    return { start: above === undefined ? 0 : above.now + 1, end: below?.now ?? this.#now.length };
  }

  #find(start: number, end: number): Located {
    const candidates = this.#candidates(start, end);
    if (candidates?.length === 0) return { reason: 'changed' };
    const proven = candidates?.filter(({ at }) => this.#isUnrivalled(start, end, at, candidates)) ?? [];
    const [onlyMove] = proven;
    if (!onlyMove || proven.length > 1) return { reason: 'repeated' };
    const landmarks = this.#landmarks(start, end);
    const stopsAt = onlyMove.at + end - start;
    const isInOrder =
      (landmarks.above === undefined || landmarks.above.now < onlyMove.at) &&
      (landmarks.below === undefined || landmarks.below.now >= stopsAt);
    if (!isInOrder) return { reason: 'repeated' };
    // Of equal lines in a row any could be gone, and lines without words could be anybody's: then both sides must be as they were.
    const isOfRun =
      end > start && (this.#isRun(start - 1, start) || this.#isRun(end - 1, end) || this.#weight(start, end) === 0);
    if (isOfRun && (onlyMove.above === 0 || onlyMove.below === 0)) return { reason: 'changed' };
    if (end > start && this.#isTorn(start, end, onlyMove)) return { reason: 'repeated' };
    // Lines that are there more than once (or were) are told apart by what is beside them, so something has to be.
    const isRepeated = (candidates?.length ?? 0) > 1 || this.#twins(start, end)?.length !== 0;
    if (isRepeated && (onlyMove.above === 0 || onlyMove.below === 0)) return { reason: 'repeated' };
    const weight = this.#weight(start - onlyMove.above, end + onlyMove.below);
    const isBetween = landmarks.above !== undefined && landmarks.below !== undefined;
    const isEnough = weight >= 2 || (weight === 1 && isBetween && end > start);
    if (!isEnough) return { reason: 'changed' };
    return this.#isReplaced(start, end, onlyMove) ? { reason: 'repeated' } : { at: onlyMove.at };
  }

  /**
   * Whether something else stands where the lines were, with all that is the same around them: then they may have been copied from there and changed
   * since. Of lines that were moved away nothing is left.
   */
  #isReplaced(start: number, end: number, { at, ...same }: Candidate): boolean {
    const [before, behind] = [start - 1 - same.above, end + same.below];
    // The file's edge counts as a line that is the same.
    if (before < EDGE || behind > this.#old.length) return false;
    const [first, last] = [lineAt(this.#old, before), lineAt(this.#old, behind)];
    for (let from = EDGE; from < this.#now.length; from++) {
      if (lineAt(this.#now, from) !== first) continue;
      const limit = Math.min(this.#now.length, from + behind - before + REPLACED_MARGIN);
      for (let until = from + 2; until <= limit; until++) {
        if (lineAt(this.#now, until) !== last || (at > from && at < until)) continue;
        const own = new Set(this.#old.subarray(before + 1, behind));
        if (this.#now.subarray(from + 1, until).every((id) => own.has(id))) continue;
        // Two lines with words have to say that this is where they were; the file's edge is as good as one.
        const above = this.#measure(before + 1, before + 1, from + 1).above;
        const below = this.#measure(behind, behind, until).below;
        const edges = Number(above > before) + Number(behind + below > this.#old.length);
        if (edges + this.#weight(before + 1 - above, before + 1) + this.#weight(behind, behind + below) >= 2)
          return true;
      }
    }
    return false;
  }

  /**
   * Whether the first or last line of the range could be another: one without words if nothing with words beside it is as it was, and one that is there
   * more than once if it has rivals by itself.
   */
  #isTorn(start: number, end: number, { at, above, below }: Candidate): boolean {
    const hasWords = (from: number, until: number) => this.#weight(from, until) > 0;
    const isEdgeAbove = start - above < 0;
    const isEdgeBelow = end + below > this.#old.length;
    if (!hasWords(start, start + 1) && !isEdgeAbove && !hasWords(start - above, start)) return true;
    if (!hasWords(end - 1, end) && !isEdgeBelow && !hasWords(end, end + below)) return true;
    return [start, end - 1].some((line) => {
      if (end - start === 1 || !this.#isRepeated(this.#old[line] ?? 0)) return false;
      const candidates = this.#candidates(line, line + 1);
      return !candidates || !this.#isUnrivalled(line, line + 1, at + line - start, candidates);
    });
  }

  #isRun(one: number, next: number): boolean {
    return one >= 0 && next < this.#old.length && this.#old[one] === this.#old[next];
  }

  /** Whether the range belongs to `at` and nowhere else: all that reads alike, then or now, fits worse above *and* below. */
  #isUnrivalled(start: number, end: number, at: number, candidates: readonly Candidate[]): boolean {
    const length = end - start;
    if (length === 0 && ![start - 1, start].every((line) => this.#isSureLine(line, at + line - start))) return false;
    if (length === 0 && !this.#isGapAsOften(start)) return false;
    if (length > 0 && !this.#isAsOften(start, end)) return false;
    const own = this.#measure(start, end, at);
    const twins = this.#twins(start, end);
    // There are more of them than there were: somebody has copied these lines, and may have changed a line beside the original since.
    const margin = twins && candidates.length > twins.length + 1 ? COPY_MARGIN : 1;
    /** Fits worse line by line, and also when lines between were changed: a copy is whole where its original is not. */
    const isWorse = (from: number, rival: Candidate, reach: number) =>
      rival.above < own.above &&
      rival.below < own.below &&
      this.#shared(from, rival.at, -1, reach) + margin <= this.#shared(start, at, -1, reach) &&
      this.#shared(from + length, rival.at + length, 1, reach) + margin <= this.#shared(end, at + length, 1, reach);
    const reachTo = (distance: number) => Math.min(MAX_SHARED, 10 + 2 * Math.abs(distance));
    const shift = this.#now.length - this.#old.length;
    const { isBelowStart, isAboveEnd } = this.#edges(start, end);
    const isByEdge = (isBelowStart && at === start) || (isAboveEnd && at === start + shift);
    // A rival that is accounted for as another part of the unchanged start or end is none, if something that is there once keeps the two apart.
    const isKnown = (lines: 'old' | 'now', place: number, isOfAnother: (shifted: 'start' | 'end') => boolean) =>
      ((place + length < this.#surePrefix && isOfAnother('start')) ||
        (place > (lines === 'old' ? this.#old : this.#now).length - this.#sureSuffix && isOfAnother('end'))) &&
      (isByEdge || this.#isApart(lines, place, lines === 'old' ? start : at));
    for (const rival of candidates) {
      if (rival.at === at || isWorse(start, rival, reachTo(rival.at - at))) continue;
      const isOfAnother = (side: 'start' | 'end') => rival.at - (side === 'end' ? shift : 0) !== start;
      if (!isKnown('now', rival.at, isOfAnother)) return false;
    }
    return (
      twins?.every((twin) => {
        if (isWorse(twin, this.#measure(twin, twin + length, at), reachTo(twin - start))) return true;
        return isKnown('old', twin, (side) => twin + (side === 'end' ? shift : 0) !== at);
      }) ?? false
    );
  }

  /** The lines around a gap have to be the ones they were, each by itself. Those without words are too many to be compared. */
  #isSureLine(line: number, at: number): boolean {
    if (line < 0 || line >= this.#old.length) return true;
    if (!this.#significant[this.#old[line] ?? 0]) return this.#isAsOften(line, line + 1);
    const candidates = this.#candidates(line, line + 1);
    return candidates !== undefined && this.#isUnrivalled(line, line + 1, at, candidates);
  }

  /**
   * Whether the lines are as often between their landmarks as they were, and none of those around them is there more often. If not, one of them is
   * a copy, or one of several is gone. How well each fits does not tell which: people copy a block and go on to change either of the two.
   */
  #isAsOften(start: number, end: number): boolean {
    const { above, below } = this.#landmarks(start, end);
    const [oldFrom, oldUntil] = [(above?.old ?? -1) + 1, below?.old ?? this.#old.length];
    const [nowFrom, nowUntil] = [(above?.now ?? -1) + 1, below?.now ?? this.#now.length];
    const count = (lines: Int32Array, from: number, until: number) => {
      let found = 0;
      for (let at = from; at <= until - (end - start); at++) if (this.#matches(lines, at, start, end)) found++;
      return found;
    };
    if (count(this.#now, nowFrom, nowUntil) !== count(this.#old, oldFrom, oldUntil)) return false;
    const more = new Map<number, number>();
    for (const id of this.#old.subarray(oldFrom, oldUntil))
      if (this.#significant[id]) more.set(id, (more.get(id) ?? 0) - 1);
    for (const id of this.#now.subarray(nowFrom, Math.max(nowFrom, nowUntil))) {
      const known = more.get(id);
      if (known !== undefined) more.set(id, known + 1);
    }
    return [...more.values()].every((surplus) => surplus <= 0);
  }

  /** Whether lines without words beside a gap are as often as they were, also if the line on its other side is a copy. */
  #isGapAsOften(gap: number): boolean {
    const { above, below } = this.#landmarks(gap - 1, gap + 1);
    const count = (lines: Int32Array, id: number, from = -1, until = lines.length) =>
      lines.subarray(from + 1, Math.max(from + 1, until)).filter((other) => other === id).length;
    return [gap - 1, gap].every((line) => {
      const id = this.#old[line];
      if (id === undefined || this.#significant[id]) return true;
      return count(this.#now, id, above?.now, below?.now) <= count(this.#old, id, above?.old, below?.old);
    });
  }

  /** Whether a landmark stands between two places of one of the files. */
  #isApart(lines: 'old' | 'now', one: number, other: number): boolean {
    const marks = (this.#marks ??= this.#countMarks())[lines];
    return marks[one] !== marks[other];
  }

  /** How many landmarks stand before each line. */
  #countMarks(): { readonly old: Uint32Array; readonly now: Uint32Array } {
    const old = new Uint32Array(this.#old.length + 1);
    const now = new Uint32Array(this.#now.length + 1);
    for (let line = 0; line < this.#old.length; line++) {
      const place = this.#landmark(line);
      if (place === undefined) continue;
      old[line + 1] = 1;
      now[place + 1] = 1;
    }
    for (const marks of [old, now])
      for (let at = 1; at < marks.length; at++) marks[at] = (marks[at] ?? 0) + (marks[at - 1] ?? 0);
    return { old, now };
  }

  /** All places in the new file that read like the range; for a gap, the two lines around it. Undefined when there are too many. */
  #candidates(start: number, end: number): Candidate[] | undefined {
    const candidates: Candidate[] = [];
    for (const at of this.#possibleStarts(start, end)) {
      if (!this.#matches(this.#now, at, start, end)) continue;
      if (candidates.length === MAX_CANDIDATES) return undefined;
      candidates.push(this.#measure(start, end, at));
    }
    return candidates;
  }

  #possibleStarts(start: number, end: number): Iterable<number> {
    if (end > start) {
      // The rarest line of the range leads to the fewest places.
      let rarest = start;
      for (let line = start; line < end; line++) {
        if ((this.#nowCounts[this.#old[line] ?? 0] ?? 0) < (this.#nowCounts[this.#old[rarest] ?? 0] ?? 0))
          rarest = line;
      }
      return (this.#nowPlaces.get(this.#old[rarest] ?? EDGE) ?? []).map((place) => place - (rarest - start));
    }
    if (start === 0) return [0];
    return (this.#nowPlaces.get(this.#old[start - 1] ?? EDGE) ?? []).map((place) => place + 1);
  }

  #matches(lines: Int32Array, at: number, start: number, end: number): boolean {
    if (at < 0 || at + end - start > lines.length) return false;
    for (let line = start; line < end; line++) if (lines[at + line - start] !== this.#old[line]) return false;
    if (end > start) return true;
    return lineAt(lines, at - 1) === lineAt(this.#old, start - 1) && lineAt(lines, at) === lineAt(this.#old, start);
  }

  /** Other places of the old file that read like the range. Undefined when there are too many. */
  #twins(start: number, end: number): number[] | undefined {
    const twins: number[] = [];
    const first = this.#old[end > start ? start : start - 1];
    for (let at = 0; at <= this.#old.length; at++) {
      if (at === start || (end > start && this.#old[at] !== first)) continue;
      if (!this.#matches(this.#old, at, start, end)) continue;
      if (twins.length === MAX_CANDIDATES) return undefined;
      twins.push(at);
    }
    return twins;
  }

  /** How far the surroundings of the old lines and those of a place in the new file are the same. */
  #measure(start: number, end: number, at: number): Candidate {
    let above = 0;
    while (above < MAX_CONTEXT && lineAt(this.#now, at - 1 - above) === lineAt(this.#old, start - 1 - above)) {
      if (start - 1 - above++ < 0) break;
    }
    let below = 0;
    const after = at + end - start;
    while (below < MAX_CONTEXT && lineAt(this.#now, after + below) === lineAt(this.#old, end + below)) {
      if (end + below++ >= this.#old.length) break;
    }
    return { at, above, below };
  }

  /** How many lines above (-1) or below (1) an old place are, in order, also there at a new one. */
  #shared(old: number, now: number, way: 1 | -1, reach: number): number {
    const [fromOld, fromNow] = way === 1 ? [old, now] : [old - 1, now - 1];
    // Both windows end with the old file.
    const size = Math.min(reach, 1 + (way === 1 ? this.#old.length - fromOld : fromOld + 1));
    let row = new Uint16Array(size + 1);
    for (let step = 0; step < size; step++) {
      const line = lineAt(this.#old, fromOld + way * step);
      const next = new Uint16Array(size + 1);
      for (let other = 0; other < size; other++) {
        const isSame = lineAt(this.#now, fromNow + way * other) === line;
        next[other + 1] = isSame ? (row[other] ?? 0) + 1 : Math.max(row[other + 1] ?? 0, next[other] ?? 0);
      }
      row = next;
    }
    return row[size] ?? 0;
  }

  #weight(from: number, until: number): number {
    let weight = 0;
    for (let line = Math.max(0, from); line < Math.min(until, this.#old.length) && weight < 2; line++) {
      weight += this.#significant[this.#old[line] ?? 0] ?? 0;
    }
    return weight;
  }

  /** Where the gap beside a line is now, for an insert that belongs to the line above (or below) it. It must not have been torn open. */
  locateGap(gap: number, beside: 'above' | 'below'): Located {
    const [line, other] = beside === 'above' ? [gap - 1, gap] : [gap, gap - 1];
    const place = this.locate(line, line + 1);
    if (!('at' in place)) return place;
    if (!this.isSame && !this.#isGapAsOften(gap)) return { reason: 'repeated' };
    const wanted = beside === 'above' ? place.at + 1 : place.at - 1;
    const isEdge = other < 0 || other >= this.#old.length;
    const isEdgeNow = wanted < 0 || wanted >= this.#now.length;
    const mapped = isEdge ? undefined : this.#landmark(other);
    if (isEdge !== isEdgeNow || (mapped !== undefined && mapped !== wanted)) return { reason: 'changed' };
    const isTornOpen = lineAt(this.#now, wanted) !== lineAt(this.#old, other);
    if (isTornOpen && this.#isMoreBehind(line, beside === 'above' ? -1 : 1)) return { reason: 'repeated' };
    return { at: beside === 'above' ? place.at + 1 : place.at };
  }

  /** Where a line is that both files have exactly once, among lines of which there are not more than there were; undefined for all others. */
  #landmark(line: number): number | undefined {
    const id = this.#old[line] ?? 0;
    const isUnique = this.#significant[id] === 1 && this.#oldCounts[id] === 1 && this.#nowCounts[id] === 1;
    // Of a block that was copied, a line that somebody changed in one of the two is there once, and could be of either.
    return isUnique && !this.#isMoreBeside(line, -1) && !this.#isMoreBeside(line, 1)
      ? this.#nowPlaces.get(id)?.[0]
      : undefined;
  }

  #isRepeated(id: number): boolean {
    return this.#significant[id] === 1 && ((this.#nowCounts[id] ?? 0) > 1 || (this.#oldCounts[id] ?? 0) > 1);
  }

  /** Whether there is more of the next line with words above (-1) or below (1) than there was. */
  #isMoreBeside(line: number, way: 1 | -1): boolean {
    for (let step = 1; step <= LANDMARK_REACH; step++) {
      const id = this.#old[line + way * step];
      if (id !== undefined && this.#significant[id]) return (this.#nowCounts[id] ?? 0) > (this.#oldCounts[id] ?? 0);
    }
    return false;
  }

  /** Whether there are more of the lines without words that are next to a line than there were: then a copy of both may have torn a gap open. */
  #isMoreBehind(line: number, way: 1 | -1): boolean {
    for (let other = line + way; other >= 0 && other < this.#old.length; other += way) {
      const id = this.#old[other] ?? 0;
      if ((this.#nowCounts[id] ?? 0) > (this.#oldCounts[id] ?? 0)) return true;
      if (this.#significant[id]) return false;
    }
    return false;
  }

  /** The nearest landmarks around the range. */
  #landmarks(start: number, end: number): { above: Landmark | undefined; below: Landmark | undefined } {
    const mark = (old: number): Landmark | undefined => {
      const now = this.#landmark(old);
      return now === undefined ? undefined : { old, now };
    };
    let above: Landmark | undefined;
    for (let line = start - 1; line >= 0 && !above; line--) above = mark(line);
    let below: Landmark | undefined;
    for (let line = end; line < this.#old.length && !below; line++) below = mark(line);
    return { above, below };
  }
}

/** A line that both files have exactly once. */
interface Landmark {
  readonly old: number;
  readonly now: number;
}

/** The file's edges are lines of their own, different from each other. */
function lineAt(lines: Int32Array, at: number): number {
  if (at < 0) return EDGE;
  return at >= lines.length ? EDGE - 1 : (lines[at] ?? EDGE);
}

function countsOf(lines: Int32Array, size: number): Uint32Array {
  const counts = new Uint32Array(size);
  for (const id of lines) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}
