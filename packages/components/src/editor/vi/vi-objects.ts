/** Text objects of vi: the word, the quoted text, the brackets around a place. */
import { nextBorder, previousBorder } from '../graphemes.ts';
import { type WordClass, wordClass } from '../motions.ts';
import type { Lines, Position } from '../positions.ts';

/** From a place up to another, without the latter. */
export interface TextRange {
  readonly from: Position;
  readonly to: Position;
}

const PAIRS: Readonly<Record<string, string>> = {
  '(': '()',
  ')': '()',
  b: '()',
  '[': '[]',
  ']': '[]',
  '{': '{}',
  '}': '{}',
  B: '{}',
  '<': '<>',
  '>': '<>',
};

/** The range of an object such as `iw` or `a(`; nothing if there is none here. */
export function findObject(lines: Lines, at: Position, object: string, count: number): TextRange | undefined {
  const isAround = object.startsWith('a');
  const name = object.slice(1);
  const pair = PAIRS[name];
  if (pair) return brackets(lines, at, pair, isAround, count);
  const text = lines.line(at.line);
  const range =
    name === 'w' || name === 'W'
      ? words(text, at.offset, name === 'W', isAround, count)
      : quotes(text, at.offset, name, isAround);
  return range && { from: { line: at.line, offset: range[0] }, to: { line: at.line, offset: range[1] } };
}

type Span = [number, number];

function kindAt(text: string, offset: number, isBig: boolean): WordClass {
  const kind = wordClass(text.slice(offset, nextBorder(text, offset)));
  return isBig && kind === 'sign' ? 'word' : kind;
}

/** The end of the run of one sort that begins at an offset. */
function runEnd(text: string, from: number, isBig: boolean): number {
  const kind = kindAt(text, from, isBig);
  let at = from;
  while (at < text.length && kindAt(text, at, isBig) === kind) at = nextBorder(text, at);
  return at;
}

/** The start of the run of one sort in which an offset is. */
function runStart(text: string, from: number, isBig: boolean): number {
  const kind = kindAt(text, from, isBig);
  let at = from;
  while (at > 0 && kindAt(text, previousBorder(text, at), isBig) === kind) at = previousBorder(text, at);
  return at;
}

function words(text: string, offset: number, isBig: boolean, isAround: boolean, count: number): Span | undefined {
  if (text === '') return undefined;
  const isSpace = (at: number): boolean => at < text.length && kindAt(text, at, isBig) === 'space';
  const start = runStart(text, offset, isBig);
  const startsWithSpace = isSpace(start);
  let end = start;
  for (let word = 0; word < count; word += 1) {
    if (isAround && startsWithSpace && isSpace(end)) end = runEnd(text, end, isBig);
    if (end >= text.length) return undefined;
    end = runEnd(text, end, isBig);
    if (isAround && !startsWithSpace && isSpace(end)) end = runEnd(text, end, isBig);
  }
  if (!isAround || startsWithSpace || isSpace(previousBorder(text, end))) return [start, end];
  // No space behind it: the one before goes instead, but not an indent.
  const before = start === 0 ? 0 : runStart(text, previousBorder(text, start), isBig);
  return [before > 0 && isSpace(before) ? before : start, end];
}

/** Where quotation marks stand that no backslash disarms. */
function marks(text: string, mark: string): number[] {
  const found: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === mark) found.push(at);
  }
  return found;
}

function quotes(text: string, offset: number, mark: string, isAround: boolean): Span | undefined {
  const all = marks(text, mark);
  const pair = text[offset] === mark ? pairWith(all, offset) : pairAround(all, offset);
  if (!pair) return undefined;
  const [open, close] = pair;
  if (!isAround) return [open + 1, close];
  const behind = /^[ \t]*/.exec(text.slice(close + 1))?.[0].length ?? 0;
  if (behind > 0) return [open, close + 1 + behind];
  const before = /[ \t]*$/.exec(text.slice(0, open))?.[0].length ?? 0;
  return [open - before, close + 1];
}

/** On a mark, marks are paired from the line's start. */
function pairWith(all: readonly number[], offset: number): Span | undefined {
  for (let at = 0; at + 1 < all.length; at += 2) {
    const [open = 0, close = 0] = [all[at], all[at + 1]];
    if (offset >= open && offset <= close) return [open, close];
  }
  return undefined;
}

/** Elsewhere the mark before opens; without one, the next does. */
function pairAround(all: readonly number[], offset: number): Span | undefined {
  const before = all.findLastIndex((at) => at < offset);
  const open = all[Math.max(0, before)];
  const close = all[Math.max(0, before) + 1];
  return open === undefined || close === undefined ? undefined : [open, close];
}

function brackets(lines: Lines, at: Position, pair: string, isAround: boolean, count: number): TextRange | undefined {
  const [opening = '', closing = ''] = pair;
  const here = lines.line(at.line)[at.offset];
  // Without brackets around the place, the next ones serve.
  let open = here === opening ? at : (seek(lines, at, opening, closing, -1) ?? next(lines, at, opening));
  for (let level = 1; level < count && open; level += 1) open = seek(lines, open, opening, closing, -1);
  const close = open && seek(lines, open, closing, opening, 1);
  if (!open || !close) return undefined;
  const behind = { line: close.line, offset: close.offset + 1 };
  if (isAround) return { from: open, to: behind };
  // A bracket at a line's end, and one that only an indent precedes, leave whole lines between them.
  const isAtEnd = open.offset + 1 >= lines.line(open.line).length && close.line > open.line;
  const from = isAtEnd ? { line: open.line + 1, offset: 0 } : { line: open.line, offset: open.offset + 1 };
  const isIndent = close.line > open.line && lines.line(close.line).slice(0, close.offset).trim() === '';
  return { from, to: isIndent ? { line: close.line, offset: 0 } : close };
}

/** The next bracket that has no partner on the way. */
function seek(lines: Lines, from: Position, wanted: string, other: string, by: 1 | -1): Position | undefined {
  let depth = 0;
  for (let line = from.line; line >= 0 && line < lines.lineCount; line += by) {
    const text = lines.line(line);
    let at = line === from.line ? from.offset + by : by > 0 ? 0 : text.length - 1;
    for (; at >= 0 && at < text.length; at += by) {
      if (text[at] === other) depth += 1;
      else if (text[at] === wanted) {
        if (depth === 0) return { line, offset: at };
        depth -= 1;
      }
    }
  }
  return undefined;
}

/** The next place of a character. */
function next(lines: Lines, from: Position, wanted: string): Position | undefined {
  for (let line = from.line; line < lines.lineCount; line += 1) {
    const offset = lines.line(line).indexOf(wanted, line === from.line ? from.offset : 0);
    if (offset >= 0) return { line, offset };
  }
  return undefined;
}
