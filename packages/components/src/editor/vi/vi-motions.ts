/** Motions of vi: where a command goes, and what an operator takes on the way. */
import { nextBorder, previousBorder } from '../graphemes.ts';
import type { Lines, Position } from '../positions.ts';
import type { ViMotion } from './vi-command.ts';
import { nextWord, previousWord, Walker, wordEnd } from './vi-words.ts';

/** How far an operator goes: up to the place, with the grapheme there, or whole lines. */
export type Reach = 'exclusive' | 'inclusive' | 'lines';

/** Where a motion leads. */
export interface Target {
  readonly to: Position;
  readonly reach: Reach;
}

/** What a motion is asked with. */
export interface MotionRequest {
  readonly lines: Lines;
  readonly from: Position;
  readonly motion: ViMotion;
  readonly count: number | undefined;
  /** The operator that waits for the motion. */
  readonly operator?: string;
  /** The last f, t, F or T. */
  readonly find?: ViMotion | undefined;
}

/** The start of the last grapheme of a line; 0 for an empty one. */
export const lastOffset = (text: string): number => previousBorder(text, text.length);

/** The first grapheme of a line that is no space; the last one if all are. */
export function firstVisible(text: string): number {
  const offset = text.search(/[^ \t]/);
  return offset < 0 ? lastOffset(text) : offset;
}

/** Where a motion leads; nothing when it cannot be done. J and k are the caller's, who knows the column. */
export function findTarget(request: MotionRequest): Target | undefined {
  const { lines, from, motion, count } = request;
  const text = lines.line(from.line);
  const times = count ?? 1;
  switch (motion.name) {
    case 'h':
      return from.offset === 0 ? undefined : exclusive(from.line, stepBack(text, from.offset, times));
    case 'l':
      return right(request, text, times);
    case '0':
      return exclusive(from.line, 0);
    case '^':
      return exclusive(from.line, firstVisible(text));
    case '$':
      return lineEnd(lines, from, times);
    case 'gg':
      return wholeLines(lines, (count ?? 1) - 1);
    case 'G':
      return wholeLines(lines, (count ?? lines.lineCount) - 1);
    case ';':
    case ',':
      return repeated(request, times);
    default:
      return motion.char === undefined ? byWords(request, times) : found(request, motion, times, false);
  }
}

const exclusive = (line: number, offset: number): Target => ({ to: { line, offset }, reach: 'exclusive' });

function stepBack(text: string, from: number, times: number): number {
  let at = from;
  for (let step = 0; step < times && at > 0; step += 1) at = previousBorder(text, at);
  return at;
}

function right({ from, operator }: MotionRequest, text: string, times: number): Target | undefined {
  const last = operator === undefined ? lastOffset(text) : text.length;
  if (from.offset >= last) return undefined;
  let at = from.offset;
  for (let step = 0; step < times && at < last; step += 1) at = nextBorder(text, at);
  return exclusive(from.line, Math.min(at, last));
}

function lineEnd(lines: Lines, from: Position, times: number): Target | undefined {
  if (times > 1 && from.line === lines.lineCount - 1) return undefined;
  const line = Math.min(from.line + times - 1, lines.lineCount - 1);
  return { to: { line, offset: lastOffset(lines.line(line)) }, reach: 'inclusive' };
}

function wholeLines(lines: Lines, wanted: number): Target {
  const line = Math.max(0, Math.min(wanted, lines.lineCount - 1));
  return { to: { line, offset: firstVisible(lines.line(line)) }, reach: 'lines' };
}

function byWords(request: MotionRequest, times: number): Target | undefined {
  const { lines, from, motion, operator } = request;
  const name = motion.name.toLowerCase();
  const walker = new Walker(lines, from, motion.name !== name);
  // To change a word leaves the space behind it.
  const isChangeOfWord = name === 'w' && operator === 'c' && walker.kind !== 'space';
  if (name === 'e' || isChangeOfWord) return byEnds(request, walker, times, isChangeOfWord);
  for (let word = 1; word <= times; word += 1) {
    const isDone = name === 'b' ? previousWord(walker) : nextWord(walker, operator !== undefined && word === times);
    if (!isDone && name === 'b' && (word === 1 || operator !== undefined)) return undefined;
    if (!isDone) break;
  }
  return settle(request, walker.at, 'exclusive');
}

function byEnds(request: MotionRequest, walker: Walker, times: number, isChange: boolean): Target | undefined {
  for (let word = 1; word <= times; word += 1) if (!wordEnd(walker, isChange && word === 1)) break;
  return settle(request, walker.at, 'inclusive');
}

/** A place behind a line's last grapheme becomes that grapheme, unless an operator waits. */
function settle({ lines, from, operator }: MotionRequest, to: Position, reach: Reach): Target | undefined {
  const text = lines.line(to.line);
  const isBehind = to.offset >= text.length && text !== '';
  if (operator !== undefined) {
    if (isBehind) return { to: { line: to.line, offset: lastOffset(text) }, reach: 'inclusive' };
    return { to, reach };
  }
  const at = isBehind ? { line: to.line, offset: lastOffset(text) } : to;
  return at.line === from.line && at.offset === from.offset ? undefined : { to: at, reach };
}

const OPPOSITE: Readonly<Record<string, string>> = { f: 'F', F: 'f', t: 'T', T: 't' };

function repeated(request: MotionRequest, times: number): Target | undefined {
  const { find, motion } = request;
  if (!find) return undefined;
  const name = motion.name === ';' ? find.name : (OPPOSITE[find.name] ?? find.name);
  return found(request, { ...find, name }, times, true);
}

function found({ lines, from }: MotionRequest, motion: ViMotion, times: number, isAgain: boolean): Target | undefined {
  const text = lines.line(from.line);
  const isForward = motion.name === 'f' || motion.name === 't';
  const isTill = motion.name === 't' || motion.name === 'T';
  const move = isForward ? nextBorder : previousBorder;
  const at = (offset: number): string => text.slice(offset, nextBorder(text, offset));
  let offset = from.offset;
  // A repeated t that stands before its character goes to the next one.
  if (isAgain && isTill && times === 1 && at(move(text, offset)) === motion.char) offset = move(text, offset);
  for (let hits = 0; hits < times;) {
    const next = move(text, offset);
    if (next === offset || next >= text.length) return undefined;
    offset = next;
    if (at(offset) === motion.char) hits += 1;
  }
  if (isTill) offset = isForward ? previousBorder(text, offset) : nextBorder(text, offset);
  return { to: { line: from.line, offset }, reach: isForward ? 'inclusive' : 'exclusive' };
}
