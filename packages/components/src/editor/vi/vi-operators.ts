/** Operators of vi on a stretch of text. */
import { nextBorder } from '../graphemes.ts';
import { compare, ordered, type Position } from '../positions.ts';
import type { TextBuffer } from '../text-buffer.ts';
import type { ViOperator } from './vi-command.ts';
import { firstVisible, lastOffset, type Target } from './vi-motions.ts';

/** What was deleted or yanked last. */
export interface Register {
  readonly text: string;
  readonly isLines: boolean;
}

/** What an operator works on: from a place up to another, or whole lines. */
export interface Stretch {
  readonly from: Position;
  readonly to: Position;
  readonly isLines: boolean;
}

/** What a motion covers from a place on, by vi's rules for the ends of lines. */
export function stretchOf(buffer: TextBuffer, start: Position, target: Target, operator: ViOperator): Stretch {
  const [from, last] = ordered(start, target.to);
  if (target.reach === 'lines') return { from, to: last, isLines: true };
  const text = buffer.line(last.line);
  if (target.reach === 'exclusive' && last.offset === 0 && last.line > from.line) {
    return withoutLineStart(buffer, from, last);
  }
  const to = target.reach === 'inclusive' ? { line: last.line, offset: nextBorder(text, last.offset) } : last;
  const isDeleteOfLines =
    operator === 'd' &&
    to.line > from.line &&
    text.slice(to.offset).trim() === '' &&
    isInIndent(buffer.line(from.line), from.offset);
  return { from, to, isLines: isDeleteOfLines };
}

/** An exclusive stretch up to a line's start ends at the end of the line before, or is that many whole lines. */
export function withoutLineStart(buffer: TextBuffer, from: Position, to: Position): Stretch {
  const end = buffer.endOfLine(to.line - 1);
  return { from, to: end, isLines: isInIndent(buffer.line(from.line), from.offset) };
}

const isInIndent = (text: string, offset: number): boolean => text.slice(0, offset).trim() === '';

/** Does an operator; the answer is what it puts into the register. The caret goes where vi has it. */
export function operate(buffer: TextBuffer, operator: ViOperator, stretch: Stretch): Register {
  const { from, to, isLines } = stretch;
  if (isLines) return operateOnLines(buffer, operator, from, to);
  const text = buffer.slice(from, to);
  if (operator !== 'y') buffer.replace(from, to, '');
  buffer.moveTo(from);
  return { text, isLines: false };
}

function operateOnLines(buffer: TextBuffer, operator: ViOperator, from: Position, to: Position): Register {
  const first = { line: from.line, offset: 0 };
  const end = buffer.endOfLine(to.line);
  const register = { text: buffer.slice(first, end), isLines: true };
  if (operator === 'y') buffer.moveTo(from);
  else if (operator === 'c') {
    buffer.replace(first, end, '');
    buffer.moveTo(first);
  } else {
    if (to.line + 1 < buffer.lineCount) buffer.replace(first, { line: to.line + 1, offset: 0 }, '');
    else if (from.line > 0) buffer.replace(buffer.endOfLine(from.line - 1), end, '');
    else buffer.replace(first, end, '');
    const line = Math.min(from.line, buffer.lineCount - 1);
    buffer.moveTo({ line, offset: firstVisible(buffer.line(line)) });
  }
  return register;
}

/** Puts the register behind or before the caret. */
export function put(buffer: TextBuffer, register: Register, isBefore: boolean, count: number): void {
  const { caret } = buffer;
  if (register.isLines) return putLines(buffer, register.text, isBefore, count);
  const text = register.text.repeat(count);
  if (text === '') return;
  const offset = isBefore ? caret.offset : nextBorder(buffer.line(caret.line), caret.offset);
  const at = { line: caret.line, offset };
  buffer.replace(at, at, text);
  const end = buffer.caret;
  // On the last grapheme of what came, or on the first of several lines.
  if (end.line > at.line) buffer.moveTo(at);
  else buffer.moveTo({ line: end.line, offset: lastOffset(buffer.line(end.line).slice(0, end.offset)) });
}

function putLines(buffer: TextBuffer, text: string, isBefore: boolean, count: number): void {
  const { line } = buffer.caret;
  const lines = Array.from({ length: count }, () => text).join('\n');
  const at = isBefore ? { line, offset: 0 } : buffer.endOfLine(line);
  buffer.replace(at, at, isBefore ? `${lines}\n` : `\n${lines}`);
  const first = isBefore ? line : line + 1;
  buffer.moveTo({ line: first, offset: firstVisible(buffer.line(first)) });
}

/** Whether a stretch has nothing in it. */
export const isEmptyStretch = ({ from, to, isLines }: Stretch): boolean => !isLines && compare(from, to) === 0;
