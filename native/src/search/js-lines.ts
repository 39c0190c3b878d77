/** Finding the lines of one text that match: the steps of crates/search/src/{lines,excerpt,hits}.rs. */
import { shown } from '../scan/js-names.ts';
import type { Span } from './js-automaton.ts';
import type { JsPattern } from './js-regex.ts';

/** A shown line before it is handed out. */
export interface LineHit {
  readonly number: number;
  /** One-based; 0 for context and for the later lines of a match. */
  readonly column: number;
  /** UTF-16 units left out in front. */
  readonly shift: number;
  readonly match: boolean;
  readonly cut: boolean;
  readonly text: string;
}

/** What was found in one file. */
export interface FileHits {
  readonly path: string;
  matches: number;
  more: boolean;
  lines: LineHit[];
}

/** How much of each file is kept. */
export interface Keep {
  readonly matches: number;
  readonly before: number;
  readonly after: number;
  readonly columns: number;
  readonly bytes: number;
  readonly countOnly: boolean;
}

const MOST_LINES_PER_MATCH = 256;
const BYTES_PER_LINE = 16;

/** What the lines weigh against the byte budget. */
export function bytesOf(hits: FileHits): number {
  let bytes = Math.max(0, hits.lines.length - 1);
  for (const line of hits.lines) bytes += Buffer.byteLength(line.text) + BYTES_PER_LINE;
  return bytes;
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** Characters to get through until the caller has a turn. */
const TURN = 1 << 20;

/** Searches a whole text. Yields now and then, so that the caller can give up. */
export function* searchText(
  pattern: JsPattern,
  text: string,
  keep: Keep,
  path: string,
): Generator<undefined, FileHits> {
  const hits: FileHits = { path, matches: 0, more: false, lines: [] };
  const collect = new Collector(text, keep, hits);
  let at = 0;
  // Where the first line starts that belongs to no match yet.
  let reached = 0;
  let bytes = 0;
  let weighed = 0;
  let turn = TURN;
  while (at < text.length) {
    if (at > turn) {
      turn = at + TURN;
      yield;
    }
    let match = yield* nextMatch(pattern, text, at, reached);
    if (!match) break;
    at = pattern.multiline ? Math.max(match.to, after(text, match.from)) : match.end + 1;
    // A match may begin on the line where the last one ended; what is new are the lines behind that one.
    if (match.end < reached) continue;
    if (match.start < reached) match = { ...match, start: reached, from: reached, to: Math.max(match.to, reached) };
    for (; weighed < hits.lines.length; weighed += 1) {
      bytes += Buffer.byteLength(hits.lines[weighed]?.text ?? '') + BYTES_PER_LINE + (weighed === 0 ? 0 : 1);
    }
    if (hits.matches >= keep.matches || bytes > keep.bytes) {
      hits.more = true;
      break;
    }
    reached = match.end + 1;
    collect.add(match);
    // When only files or counts are wanted, it does not matter whether a file has more than enough.
    if (keep.countOnly && hits.matches >= keep.matches) break;
  }
  collect.finish();
  return hits;
}

/**
 * The first match from `at` on. Of one that ends before `reached`, only that is told: looking for the ends of its line
 * would cost the whole line for each of its matches.
 */
function* nextMatch(
  pattern: JsPattern,
  text: string,
  at: number,
  reached: number,
): Generator<undefined, Match | undefined> {
  const span =
    pattern.literal === undefined ? yield* pattern.finder.find(text, at) : literalAt(text, pattern.literal, at);
  if (!span) return undefined;
  const { from, to } = span;
  // A match that ends with a line break ends on the line that it breaks.
  const last = pattern.multiline && to > from ? to - 1 : from;
  if (last < reached) return { start: from, end: last, from, to };
  const start = from < reached ? from : Math.max(from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1, reached);
  // An empty match behind the last line break is on no line.
  if (start >= text.length) return undefined;
  return { start, end: lineEnd(text, Math.max(last, start)), from, to };
}

function literalAt(text: string, literal: string, at: number): Span | undefined {
  const from = text.indexOf(literal, at);
  return from < 0 ? undefined : { from, to: from + literal.length };
}

/** The position behind the character at `at`. */
function after(text: string, at: number): number {
  return insidePair(text, at + 1) ? at + 2 : at + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function countBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

class Collector {
  readonly #text: string;
  readonly #keep: Keep;
  readonly #hits: FileHits;
  #number = 1;
  #counted = 0;
  #shown = 0;
  #shownNumber = 0;
  #after = 0;

  constructor(text: string, keep: Keep, hits: FileHits) {
    this.#text = text;
    this.#keep = keep;
    this.#hits = hits;
  }

  add(match: Match): void {
    this.#hits.matches += 1;
    if (this.#keep.countOnly) return;
    this.#number += countBreaks(this.#text, this.#counted, match.start);
    this.#counted = match.start;
    this.#owed(match.start);
    this.#before(match.start);
    let { start } = match;
    for (let line = 0; line < MOST_LINES_PER_MATCH; line += 1) {
      const end = lineEnd(this.#text, start);
      const position: [number, number] | undefined =
        line === 0 ? [match.from - start, Math.min(match.to, end) - start] : undefined;
      this.#push(this.#number + line, start, end, position, true);
      if (end >= match.end) break;
      start = end + 1;
    }
    this.#shown = Math.min(match.end + 1, this.#text.length);
    this.#number += countBreaks(this.#text, this.#counted, this.#shown);
    this.#counted = this.#shown;
    this.#shownNumber = this.#number;
    this.#after = this.#keep.after;
  }

  finish(): void {
    if (!this.#keep.countOnly) this.#owed(this.#text.length);
  }

  /** Shows the lines owed after the last match, up to `limit`. */
  #owed(limit: number): void {
    while (this.#after > 0 && this.#shown < limit) {
      const end = lineEnd(this.#text, this.#shown);
      this.#push(this.#shownNumber, this.#shown, end, undefined, false);
      this.#shown = Math.min(end + 1, this.#text.length);
      this.#shownNumber += 1;
      this.#after -= 1;
    }
  }

  /** Shows the lines before a match that were not shown yet. */
  #before(start: number): void {
    let first = start;
    let count = 0;
    while (count < this.#keep.before && first > this.#shown) {
      first = first < 2 ? 0 : this.#text.lastIndexOf('\n', first - 2) + 1;
      count += 1;
    }
    let number = this.#number - count;
    while (first < start) {
      const end = lineEnd(this.#text, first);
      this.#push(number, first, end, undefined, false);
      number += 1;
      first = end + 1;
    }
  }

  #push(number: number, start: number, end: number, position: [number, number] | undefined, match: boolean): void {
    const raw = this.#text.slice(start, end).replace(/\r$/u, '');
    // Bytes that are not UTF-8 may show as fewer characters than they are, so offsets are measured as shown.
    const unit = (offset: number): number => shown(raw.slice(0, offset)).length;
    const text = shown(raw);
    const span = position && ([unit(position[0]), unit(position[1])] as const);
    const column = span === undefined ? 0 : span[0] + 1;
    this.#hits.lines.push({ number, column, match, ...excerpt(text, span, this.#keep.columns) });
  }
}

function excerpt(
  text: string,
  span: readonly [number, number] | undefined,
  most: number,
): { text: string; shift: number; cut: boolean } {
  if (text.length <= most) return { text, shift: 0, cut: false };
  const from = span !== undefined && span[1] > most ? Math.max(0, span[0] - Math.floor(most / 4)) : 0;
  const start = boundaryBefore(text, from);
  return {
    text: text.slice(start, boundaryBefore(text, Math.min(start + most, text.length))),
    shift: start,
    cut: true,
  };
}

/** Moves back by one where a surrogate pair would be split. */
function boundaryBefore(text: string, at: number): number {
  return insidePair(text, at) ? at - 1 : at;
}

function insidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}
