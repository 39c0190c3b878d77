/** Where motions lead. */
import { isBefore, type Position, type VimBuffer } from './vim-buffer.ts';
import { VimError } from './vim-error.ts';
import type { VimPattern } from './vim-pattern.ts';

/** The kind of text between the cursor and where a motion leads. */
export type MotionKind = 'exclusive' | 'inclusive' | 'line';

/** Where a motion leads. `isWord`: `w`, which stops at line ends for operators. */
export interface Motion {
  readonly to: Position;
  readonly kind: MotionKind;
  readonly isWord?: boolean;
}

/** What f, F, t, T looked for last. */
export interface CharSearch {
  readonly key: 'f' | 'F' | 't' | 'T';
  readonly char: string;
}

/** 0 blank, 1 punctuation, 2 word; an empty line and a line's end are blank. */
function classAt(buffer: VimBuffer, { line, col }: Position, isBig: boolean): number {
  const char = buffer.line(line)[col];
  if (char === undefined || char === ' ' || char === '\t') return 0;
  if (isBig) return 2;
  return /[\p{L}\p{N}_\ud800-\udfff]/u.test(char) ? 2 : 1;
}

function isEmptyLine(buffer: VimBuffer, { line, col }: Position): boolean {
  return col === 0 && buffer.line(line) === '';
}

/** One step, line ends included; undefined at the end of the text. */
function step(buffer: VimBuffer, at: Position): Position | undefined {
  if (at.col < buffer.line(at.line).length) return { line: at.line, col: buffer.right(at) };
  return at.line < buffer.lastLine ? { line: at.line + 1, col: 0 } : undefined;
}

/** One step back onto a character or an empty line. */
function stepBack(buffer: VimBuffer, at: Position): Position | undefined {
  if (at.col > 0) return { line: at.line, col: buffer.left(at) };
  return at.line > 0 ? { line: at.line - 1, col: buffer.lastCol(at.line - 1) } : undefined;
}

/** `w` and `W`. */
export function wordForward(buffer: VimBuffer, from: Position, count: number, isBig: boolean): Motion {
  let at = from;
  for (let left = count; left > 0; left--) {
    const first = classAt(buffer, at, isBig);
    const start = at;
    let next = step(buffer, at);
    if (first !== 0)
      while (next && classAt(buffer, next, isBig) === first && next.line === at.line) next = step(buffer, next);
    while (next && classAt(buffer, next, isBig) === 0 && !(isEmptyLine(buffer, next) && next.line !== start.line)) {
      next = step(buffer, next);
    }
    at = next ?? { line: buffer.lastLine, col: buffer.line(buffer.lastLine).length };
    if (!next && left > 1) break;
  }
  return { to: at, kind: 'exclusive', isWord: true };
}

/** `e` and `E`. */
export function wordEnd(buffer: VimBuffer, from: Position, count: number, isBig: boolean): Motion {
  let at = from;
  for (let left = count; left > 0; left--) {
    let next = step(buffer, at);
    while (next && classAt(buffer, next, isBig) === 0) next = step(buffer, next);
    if (!next) {
      at = { line: buffer.lastLine, col: buffer.lastCol(buffer.lastLine) };
      break;
    }
    const kind = classAt(buffer, next, isBig);
    for (;;) {
      const after: Position = { line: next.line, col: buffer.right(next) };
      if (classAt(buffer, after, isBig) !== kind) break;
      next = after;
    }
    at = next;
  }
  return { to: at, kind: 'inclusive' };
}

/** `b` and `B`. */
export function wordBack(buffer: VimBuffer, from: Position, count: number, isBig: boolean): Motion {
  let at = from;
  for (let left = count; left > 0; left--) {
    let next = stepBack(buffer, at);
    while (next && classAt(buffer, next, isBig) === 0 && !isEmptyLine(buffer, next)) next = stepBack(buffer, next);
    if (!next) {
      if (at.line === 0 && at.col === 0) throw new VimError('there is no word before the cursor.');
      return { to: { line: 0, col: 0 }, kind: 'exclusive' };
    }
    const kind = classAt(buffer, next, isBig);
    while (next.col > 0) {
      const before: Position = { line: next.line, col: buffer.left(next) };
      if (kind === 0 || classAt(buffer, before, isBig) !== kind) break;
      next = before;
    }
    at = next;
  }
  return { to: at, kind: 'exclusive' };
}

/** `ge` and `gE`. */
export function wordEndBack(buffer: VimBuffer, from: Position, count: number, isBig: boolean): Motion {
  let at = from;
  for (let left = count; left > 0; left--) {
    const kind = classAt(buffer, at, isBig);
    let next = stepBack(buffer, at);
    if (kind !== 0)
      while (next && next.line === at.line && classAt(buffer, next, isBig) === kind) next = stepBack(buffer, next);
    while (next && classAt(buffer, next, isBig) === 0 && !isEmptyLine(buffer, next)) next = stepBack(buffer, next);
    if (!next) throw new VimError('there is no end of a word before the cursor.');
    at = next;
  }
  return { to: at, kind: 'inclusive' };
}

/** `f`, `F`, `t`, `T` and their repeats. */
export function findChar(
  buffer: VimBuffer,
  from: Position,
  { key, char }: CharSearch,
  count: number,
  isRepeat: boolean,
): Motion {
  const text = buffer.line(from.line);
  const isForward = key === 'f' || key === 't';
  const isTill = key === 't' || key === 'T';
  let col = from.col;
  // A repeated `t` would stand still in front of the character it already found.
  if (isTill && isRepeat && count === 1) {
    const beside = isForward ? buffer.right(from) : buffer.left(from);
    if (text.startsWith(char, beside) && beside !== col) col = beside;
  }
  for (let left = count; left > 0; left--) {
    col = isForward
      ? text.indexOf(char, buffer.right({ line: from.line, col }))
      : col === 0
        ? -1
        : text.lastIndexOf(char, col - 1);
    if (col < 0) throw new VimError(`"${key}${char}" finds no "${char}" in line ${from.line + 1}.`);
  }
  const at = { line: from.line, col };
  const to = isTill ? { line: from.line, col: isForward ? buffer.left(at) : buffer.right(at) } : at;
  return { to, kind: isForward ? 'inclusive' : 'exclusive' };
}

/** `{` and `}`. */
export function paragraph(buffer: VimBuffer, from: Position, count: number, isForward: boolean): Motion {
  let { line } = from;
  if (buffer.lastLine === 0) throw new VimError('the file has one line only, and no paragraphs.');
  const way = isForward ? 1 : -1;
  for (let left = count; left > 0; left--) {
    const isInside = (at: number) => at >= 0 && at <= buffer.lastLine;
    if (!isInside(line + way) && left === count && !isForward && from.col === 0)
      throw new VimError('there is no paragraph before the cursor.');
    while (isInside(line) && buffer.line(line) === '') line += way;
    while (isInside(line) && buffer.line(line) !== '') line += way;
    if (!isInside(line)) {
      if (left > 1) throw new VimError(`there are not ${count} paragraphs to go.`);
      const to = isForward ? { line: buffer.lastLine, col: buffer.lastCol(buffer.lastLine) } : { line: 0, col: 0 };
      return { to, kind: isForward ? 'inclusive' : 'exclusive' };
    }
  }
  return { to: { line, col: 0 }, kind: 'exclusive' };
}

const BRACKETS: Readonly<Record<string, { readonly other: string; readonly way: 1 | -1 }>> = {
  '(': { other: ')', way: 1 },
  ')': { other: '(', way: -1 },
  '[': { other: ']', way: 1 },
  ']': { other: '[', way: -1 },
  '{': { other: '}', way: 1 },
  '}': { other: '{', way: -1 },
};

/** `%`: from the first bracket at or after the cursor to its partner. Text is only counted, not understood. */
export function matchingBracket(buffer: VimBuffer, from: Position): Motion {
  const text = buffer.line(from.line);
  let { col } = from;
  while (col < text.length && !BRACKETS[text[col] ?? '']) col++;
  const open = text[col] ?? '';
  const pair = BRACKETS[open];
  if (!pair) throw new VimError(`"%" finds no bracket in line ${from.line + 1}.`);
  const to = partnerOf(buffer, { line: from.line, col }, open, pair.other, pair.way);
  if (!to) throw new VimError(`"%" finds no partner of the "${open}" in line ${from.line + 1}.`);
  return { to, kind: 'inclusive' };
}

/** The bracket that closes (or opens) what `open` opens at a place. */
export function partnerOf(
  buffer: VimBuffer,
  from: Position,
  open: string,
  close: string,
  way: 1 | -1,
): Position | undefined {
  let depth = 0;
  for (let { line } = from; line >= 0 && line <= buffer.lastLine; line += way) {
    const text = buffer.line(line);
    const isQuoted = quotedColumns(text, line);
    if (line === from.line && isQuoted(from.col))
      throw new VimError(`the "${open}" in line ${line + 1} is inside of quotes.`);
    const start = line === from.line ? from.col : way > 0 ? 0 : text.length - 1;
    for (let col = start; col >= 0 && col < text.length; col += way) {
      if (isQuoted(col)) continue;
      if (text[col] === open) depth++;
      else if (text[col] === close && --depth === 0) return { line, col };
    }
  }
  return undefined;
}

/** Brackets inside of double quotes do not count; where the quotes of a line are odd, nobody can say what is inside. */
function quotedColumns(text: string, line: number): (col: number) => boolean {
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') places.push(at);
  }
  if (places.length % 2 === 1)
    throw new VimError(`line ${line + 1} has an odd number of quotes: its brackets cannot be paired.`);
  return (col) => places.filter((place) => place < col).length % 2 === 1 && !places.includes(col);
}

/** The next match after (or the last before) the cursor; past the end it goes on at the other one, as `wrapscan` says. */
export function searchPattern(
  buffer: VimBuffer,
  from: Position,
  pattern: VimPattern,
  isForward: boolean,
): Position | undefined {
  const places = matchPlaces(buffer, pattern);
  if (isForward) return places.find((place) => isBefore(from, place)) ?? places[0];
  return places.findLast((place) => isBefore(place, from)) ?? places.at(-1);
}

/** Where all matches start. */
function matchPlaces(buffer: VimBuffer, { regex }: VimPattern): Position[] {
  const text = buffer.lines.join('\n');
  const places: Position[] = [];
  let [line, lineStart, cursor] = [0, 0, 0];
  regex.lastIndex = 0;
  for (let match = regex.exec(text); match; match = regex.exec(text)) {
    if (match[0] === '') regex.lastIndex += 1;
    for (; cursor < match.index; cursor++) {
      if (text[cursor] === '\n') {
        line++;
        lineStart = cursor + 1;
      }
    }
    const col = match.index - lineStart;
    // The end of a line is no place for a cursor, except in an empty one.
    if (col >= Math.max(1, buffer.line(line).length))
      throw new VimError('the pattern matches the end of a line, where no cursor can stand.');
    places.push({ line, col });
  }
  return places;
}
