/** What operators do to a text. */
import type { Position } from './vim-buffer.ts';
import { VimError } from './vim-error.ts';
import { type Shift, storeRegister, type VimState } from './vim-state.ts';

/** A text an operator works on; `end` is not included. For whole lines only the lines count. */
export interface Region {
  readonly start: Position;
  readonly end: Position;
  readonly isLinewise: boolean;
}

/** The operators, `gu`, `gU` and `g~` by their own names. */
export type Operator = 'd' | 'c' | 'y' | '>' | '<' | 'gu' | 'gU' | 'g~';

/** Carries an operator out; gives true when insert mode follows. */
export function operate(
  state: VimState,
  operator: Operator,
  region: Region,
  { register = '"', times = 1, keepCursor = false }: { register?: string; times?: number; keepCursor?: boolean } = {},
): boolean {
  const { buffer } = state;
  const { start, end, isLinewise } = region;
  const [first, last] = [start.line, end.line];
  if (operator === 'd' || operator === 'c' || operator === 'y') {
    const lines = isLinewise ? buffer.lines.slice(first, last + 1) : buffer.textBetween(start, end);
    storeRegister(state, register, { lines, isLinewise }, operator === 'y');
  }
  switch (operator) {
    case 'y':
      if (!keepCursor) buffer.moveTo(start);
      return false;
    case 'd':
      if (isLinewise) {
        buffer.removeLines(first, last);
        const line = Math.min(first, buffer.lastLine);
        buffer.moveTo({ line, col: buffer.firstNonBlank(line) });
      } else {
        buffer.replaceBetween(start, end, []);
        buffer.moveTo(start);
      }
      return false;
    case 'c':
      if (isLinewise) {
        buffer.splice(first, last - first + 1, ['']);
        buffer.cursor = { line: first, col: 0 };
      } else {
        buffer.replaceBetween(start, end, []);
        buffer.cursor = start;
      }
      return true;
    case '>':
    case '<':
      for (let line = first; line <= last; line++) {
        buffer.splice(line, 1, [shiftLine(buffer.line(line), operator === '>' ? times : -times, state.shift)]);
      }
      buffer.moveTo({ line: first, col: buffer.firstNonBlank(first) });
      return false;
    default: {
      const change = caseChange(operator);
      const whole = { start: { line: first, col: 0 }, end: { line: last, col: buffer.line(last).length } };
      const { start: from, end: until } = isLinewise ? whole : region;
      buffer.replaceBetween(from, until, buffer.textBetween(from, until).map(change));
      if (!keepCursor) buffer.moveTo(start);
      return false;
    }
  }
}

/** How letters change. */
export function caseChange(operator: 'gu' | 'gU' | 'g~'): (text: string) => string {
  if (operator === 'gu') return (text) => text.toLowerCase();
  if (operator === 'gU') return (text) => text.toUpperCase();
  return (text) =>
    text.replaceAll(/\p{L}/gu, (letter) =>
      letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
    );
}

const TAB_WIDTH = 8;

function shiftLine(line: string, times: number, { width, expand }: Shift): string {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  if (line === '') return line;
  let columns = 0;
  for (const char of indent) columns += char === '\t' ? TAB_WIDTH - (columns % TAB_WIDTH) : 1;
  const shifted = Math.max(0, columns + times * width);
  const rest = line.slice(indent.length);
  if (expand) return ' '.repeat(shifted) + rest;
  return '\t'.repeat(Math.floor(shifted / TAB_WIDTH)) + ' '.repeat(shifted % TAB_WIDTH) + rest;
}

/** `J` and `gJ` on lines from `first`; `count` lines become one. */
export function joinLines(state: VimState, first: number, count: number, withBlank: boolean): void {
  const { buffer } = state;
  const last = first + Math.max(2, count) - 1;
  if (first >= buffer.lastLine) throw new VimError('there is no line below to join.');
  if (last > buffer.lastLine) throw new VimError(`there are not ${count} lines to join.`);
  let joined = buffer.line(first);
  // The line before decides, not what is joined so far.
  let previous = joined;
  let col = 0;
  for (let line = first + 1; line <= last; line++) {
    const next = withBlank ? buffer.line(line).replace(/^[ \t]+/, '') : buffer.line(line);
    const isGlued = withBlank && next !== '' && !next.startsWith(')') && joined !== '' && !/[ \t]$/.test(previous);
    col = joined.length;
    joined += (isGlued ? ' ' : '') + next;
    previous = next;
  }
  buffer.splice(first, last - first + 1, [joined]);
  buffer.moveTo({ line: first, col });
}

/** `p` and `P`. */
export function putRegister(state: VimState, name: string, count: number, isBefore: boolean): void {
  const { buffer } = state;
  const register = state.registers.get(name.toLowerCase());
  if (!register) throw new VimError(`register "${name}" is empty.`);
  const { cursor } = buffer;
  if (register.isLinewise) {
    const at = isBefore ? cursor.line : cursor.line + 1;
    buffer.insertLines(at, Array.from({ length: count }, () => register.lines).flat());
    buffer.moveTo({ line: at, col: buffer.firstNonBlank(at) });
    return;
  }
  const isEmpty = buffer.line() === '';
  const at = { line: cursor.line, col: isBefore || isEmpty ? cursor.col : buffer.right(cursor) };
  const lines = Array.from({ length: count }, () => register.lines).reduce<string[]>(
    (all, next) =>
      all.length === 0 ? [...next] : [...all.slice(0, -1), (all.at(-1) ?? '') + (next[0] ?? ''), ...next.slice(1)],
    [],
  );
  const end = buffer.replaceBetween(at, at, lines);
  buffer.moveTo(lines.length > 1 ? at : { line: end.line, col: buffer.left(end) });
}

/** `<C-a>` and `<C-x>`: changes the number at or after the cursor. */
export function addToNumber(state: VimState, amount: number): void {
  const { buffer } = state;
  const { line, col } = buffer.cursor;
  const text = buffer.line(line);
  for (const digits of text.matchAll(/-?\d+/g)) {
    const end = digits.index + digits[0].length;
    if (end <= col) continue;
    if (/^-?0[0-9xXbB]/.test(text.slice(digits.index)) || digits[0].length > 15) {
      throw new VimError('only plain decimal numbers can be counted up and down here.');
    }
    const value = String(Number(digits[0]) + amount);
    buffer.splice(line, 1, [text.slice(0, digits.index) + value + text.slice(end)]);
    buffer.moveTo({ line, col: digits.index + value.length - 1 });
    return;
  }
  throw new VimError(`line ${line + 1} has no number at or after the cursor.`);
}
