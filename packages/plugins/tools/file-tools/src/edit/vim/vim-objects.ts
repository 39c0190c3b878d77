/** Text objects: what `iw`, `a"` or `i{` name. */
import type { Position, VimBuffer } from './vim-buffer.ts';
import { VimError } from './vim-error.ts';
import { partnerOf } from './vim-motions.ts';

/** The text that an object names; `end` is not included. */
export interface TextObject {
  readonly start: Position;
  readonly end: Position;
  readonly isLinewise: boolean;
}

const PAIRS: Readonly<Record<string, readonly [string, string]>> = {
  '(': ['(', ')'],
  ')': ['(', ')'],
  b: ['(', ')'],
  '[': ['[', ']'],
  ']': ['[', ']'],
  '{': ['{', '}'],
  '}': ['{', '}'],
  B: ['{', '}'],
  '<': ['<', '>'],
  '>': ['<', '>'],
};

/** Finds the object at the cursor. */
export function findObject(buffer: VimBuffer, key: string, isAround: boolean): TextObject {
  if (key === 'w' || key === 'W') return word(buffer, key === 'W', isAround);
  if (key === 'p') return paragraphObject(buffer, isAround);
  if (key === '"' || key === "'" || key === '`') return quoted(buffer, key, isAround);
  const pair = PAIRS[key];
  if (pair) return bracketed(buffer, pair, isAround);
  throw new VimError(`"${isAround ? 'a' : 'i'}${key}" is not supported; objects are w W p " ' \` ( [ { <.`);
}

function word(buffer: VimBuffer, isBig: boolean, isAround: boolean): TextObject {
  const { line, col } = buffer.cursor;
  const text = buffer.line(line);
  if (text === '') throw new VimError(`line ${line + 1} is empty: there is no word.`);
  const kindAt = (at: number): number => {
    const char = text[at] ?? '';
    if (char === ' ' || char === '\t') return 0;
    return isBig || /[\p{L}\p{N}_\ud800-\udfff]/u.test(char) ? 2 : 1;
  };
  const runStart = (at: number): number => {
    let start = at;
    while (start > 0 && kindAt(start - 1) === kindAt(at)) start--;
    return start;
  };
  const runEnd = (at: number): number => {
    let end = at + 1;
    while (end < text.length && kindAt(end) === kindAt(at)) end++;
    return end;
  };
  let start = runStart(col);
  let end = runEnd(col);
  if (isAround) {
    if (kindAt(col) === 0) {
      if (end === text.length) throw new VimError(`there is no word behind the blanks at the end of line ${line + 1}.`);
      end = runEnd(end);
    } else if (end < text.length && kindAt(end) === 0) end = runEnd(end);
    else if (start > 0 && kindAt(start - 1) === 0 && runStart(start - 1) > 0) start = runStart(start - 1);
  }
  return { start: { line, col: start }, end: { line, col: end }, isLinewise: false };
}

function paragraphObject(buffer: VimBuffer, isAround: boolean): TextObject {
  const isBlank = (line: number) => buffer.line(line).trim() === '';
  let start = buffer.cursor.line;
  const kind = isBlank(start);
  while (start > 0 && isBlank(start - 1) === kind) start--;
  const runEnd = (from: number): number => {
    let end = from;
    while (end < buffer.lastLine && isBlank(end + 1) === isBlank(from)) end++;
    return end;
  };
  let last = runEnd(buffer.cursor.line);
  if (isAround) {
    if (last < buffer.lastLine) last = runEnd(last + 1);
    else if (kind) throw new VimError('there is no paragraph behind the empty lines.');
    else while (start > 0 && isBlank(start - 1)) start--;
  }
  return { start: { line: start, col: 0 }, end: { line: last, col: buffer.line(last).length }, isLinewise: true };
}

/** Quotes are paired from the start of the line, as vim does. */
function quoted(buffer: VimBuffer, quote: string, isAround: boolean): TextObject {
  const { line, col } = buffer.cursor;
  const text = buffer.line(line);
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) places.push(at);
  }
  for (let index = 0; index + 1 < places.length; index += 2) {
    const [open = 0, close = 0] = [places[index], places[index + 1]];
    if (close < col) continue;
    let [start, end] = [open + 1, close];
    if (isAround) {
      [start, end] = [open, close + 1];
      const after = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
      if (after > 0) end += after;
      else while (start > 0 && /[ \t]/.test(text[start - 1] ?? '')) start--;
    }
    return { start: { line, col: start }, end: { line, col: end }, isLinewise: false };
  }
  throw new VimError(`line ${line + 1} has no text in ${quote} at or after the cursor.`);
}

function bracketed(buffer: VimBuffer, [open, close]: readonly [string, string], isAround: boolean): TextObject {
  const { cursor } = buffer;
  const here = buffer.line()[cursor.col];
  const start = here === open ? cursor : enclosing(buffer, open, close);
  const end = start && partnerOf(buffer, start, open, close, 1);
  if (!start || !end) throw new VimError(`the cursor is not inside of ${open}${close}.`);
  if (isAround) return { start, end: { line: end.line, col: end.col + 1 }, isLinewise: false };
  return inner(buffer, start, end, open);
}

/** The bracket that is open at the cursor. */
function enclosing(buffer: VimBuffer, open: string, close: string): Position | undefined {
  let depth = 0;
  for (let { line } = buffer.cursor; line >= 0; line--) {
    const text = buffer.line(line);
    const from = line === buffer.cursor.line ? buffer.cursor.col : text.length - 1;
    for (let col = from; col >= 0; col--) {
      const isHere = line === buffer.cursor.line && col === buffer.cursor.col;
      if (text[col] === close && !isHere) depth++;
      else if (text[col] === open && depth-- === 0) return { line, col };
    }
  }
  return undefined;
}

/** Inside of a block that has lines of its own are those lines. */
function inner(buffer: VimBuffer, open: Position, close: Position, bracket: string): TextObject {
  const isOpenLast = open.col + 1 >= buffer.line(open.line).length && close.line > open.line;
  const start = isOpenLast ? { line: open.line + 1, col: 0 } : { line: open.line, col: open.col + 1 };
  const isOwnLines = isOpenLast && buffer.line(close.line).slice(0, close.col).trim() === '';
  if (!isOwnLines || bracket === '<') return { start, end: close, isLinewise: false };
  if (close.line === open.line + 1) throw new VimError('there is nothing between the brackets.');
  const last = close.line - 1;
  return {
    start: { line: open.line + 1, col: 0 },
    end: { line: last, col: buffer.line(last).length },
    isLinewise: true,
  };
}
