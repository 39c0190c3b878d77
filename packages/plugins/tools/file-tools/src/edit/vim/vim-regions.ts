/** Which text an operator works on. */
import { isBefore, type Position } from './vim-buffer.ts';
import { VimError } from './vim-error.ts';
import * as motions from './vim-motions.ts';
import type { Operator, Region } from './vim-operators.ts';
import type { VimState } from './vim-state.ts';

/** A selection: where it was begun. The cursor is its other end. */
export interface Visual {
  readonly from: Position;
  isLinewise: boolean;
}

/** The text between the cursor and where a motion leads. */
export function regionOf(
  state: VimState,
  operator: Operator,
  from: Position,
  { to, kind, isWord }: motions.Motion,
): Region {
  const { buffer } = state;
  const [start, last] = isBefore(to, from) ? [to, from] : [from, to];
  if (kind === 'line' || operator === '>' || operator === '<') {
    const isAtStart = kind === 'exclusive' && last.col === 0 && last.line > start.line;
    return { start, end: isAtStart ? { line: last.line - 1, col: 0 } : last, isLinewise: true };
  }
  if (kind === 'inclusive') {
    const end = { line: last.line, col: Math.min(buffer.right(last), buffer.line(last.line).length) };
    return maybeLinewise(state, operator, { start, end, isLinewise: false });
  }
  // `w` over the last word of a line stops at its end.
  if (isWord && last.line > start.line) {
    const isAtText = last.col <= (/^[ \t]*/.exec(buffer.line(last.line))?.[0].length ?? 0);
    if (isAtText) {
      let { line } = last;
      // Empty lines between count as words of their own.
      line--;
      while (line > start.line && buffer.line(line).trim() === '' && buffer.line(line) !== '') line--;
      return maybeLinewise(state, operator, { start, end: { line, col: buffer.line(line).length }, isLinewise: false });
    }
  }
  if (last.line > start.line && last.col === 0) {
    const line = last.line - 1;
    if (start.col <= (/^[ \t]*/.exec(buffer.line(start.line))?.[0].length ?? 0)) {
      return { start, end: { line, col: buffer.line(line).length }, isLinewise: true };
    }
    return maybeLinewise(state, operator, { start, end: { line, col: buffer.line(line).length }, isLinewise: false });
  }
  return maybeLinewise(state, operator, { start, end: last, isLinewise: false });
}

/** Deleting several lines' text with only blanks around it deletes the lines. */
export function maybeLinewise(state: VimState, operator: Operator, region: Region): Region {
  const { start, end } = region;
  if (operator !== 'd' || start.line === end.line) return region;
  const { buffer } = state;
  const isBlankAround =
    buffer.line(start.line).slice(0, start.col).trim() === '' && buffer.line(end.line).slice(end.col).trim() === '';
  return isBlankAround ? { ...region, isLinewise: true } : region;
}

/** Lines from the cursor on. */
export function wholeLines(state: VimState, count: number): Region {
  const { buffer } = state;
  const { line, col } = buffer.cursor;
  const last = line + count - 1;
  if (last > buffer.lastLine)
    throw new VimError(`there are not ${count} lines from line ${line + 1} on (the file has ${buffer.lines.length}).`);
  return { start: { line, col }, end: { line: last, col }, isLinewise: true };
}

/** An empty line, and a line selected with `$`, is selected with its end. */
export function selection(state: VimState, { from, isLinewise }: Visual, withLineEnd: boolean): Region {
  const { buffer } = state;
  const [start, last] = isBefore(buffer.cursor, from) ? [buffer.cursor, from] : [from, buffer.cursor];
  const isToEnd = buffer.line(last.line) === '' || (last === buffer.cursor && state.wantedCol === Infinity);
  if (!isLinewise && withLineEnd && isToEnd && last.line < buffer.lastLine) {
    return { start, end: { line: last.line + 1, col: 0 }, isLinewise };
  }
  const end = { line: last.line, col: Math.min(buffer.right(last), buffer.line(last.line).length) };
  const isFromCursor = buffer.cursor.line < from.line;
  return { start: isLinewise && !isFromCursor ? { line: start.line, col: 0 } : start, end, isLinewise };
}

/** Like `e`, but a word of one character under the cursor is its own end. */
export function wordEndFrom(state: VimState, count: number, isBig: boolean): motions.Motion {
  const { buffer } = state;
  const { line, col } = buffer.cursor;
  const text = buffer.line();
  const kind = (at: number) => {
    const char = text[at];
    if (char === undefined || /[ \t]/.test(char)) return 0;
    return isBig || /[\p{L}\p{N}_\ud800-\udfff]/u.test(char) ? 2 : 1;
  };
  let end = col;
  while (kind(end + 1) === kind(col)) end++;
  const first: Position = { line, col: end };
  return count === 1 ? { to: first, kind: 'inclusive' } : motions.wordEnd(buffer, first, count - 1, isBig);
}
