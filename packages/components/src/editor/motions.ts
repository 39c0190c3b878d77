/** Where the caret can go: by graphemes and words, over the borders of lines. */
import { nextBorder, previousBorder } from './graphemes.ts';
import type { Lines, Position } from './positions.ts';

/** What a character is to motions by words. */
export type WordClass = 'space' | 'word' | 'sign';

const SPACE = /^\s/u;
const WORD = /^[\p{L}\p{N}\p{M}_]/u;

/** The sort of the grapheme at an offset. */
export function wordClass(grapheme: string): WordClass {
  if (grapheme === '' || SPACE.test(grapheme)) return 'space';
  return WORD.test(grapheme) ? 'word' : 'sign';
}

/** One grapheme back; the line before it at a line's start. */
export function left(lines: Lines, at: Position): Position {
  if (at.offset > 0) return { line: at.line, offset: previousBorder(lines.line(at.line), at.offset) };
  return at.line > 0 ? { line: at.line - 1, offset: lines.line(at.line - 1).length } : at;
}

/** One grapheme on; the next line at a line's end. */
export function right(lines: Lines, at: Position): Position {
  const text = lines.line(at.line);
  if (at.offset < text.length) return { line: at.line, offset: nextBorder(text, at.offset) };
  return at.line < lines.lineCount - 1 ? { line: at.line + 1, offset: 0 } : at;
}

const classAfter = (lines: Lines, at: Position): WordClass => {
  const text = lines.line(at.line);
  return wordClass(text.slice(at.offset, nextBorder(text, at.offset)));
};

const same = (a: Position, b: Position): boolean => a.line === b.line && a.offset === b.offset;

/** The end of this word, or of the next one. Signs and spaces are passed over. */
export function wordRight(lines: Lines, from: Position): Position {
  return run(
    lines,
    run(lines, from, (kind) => kind !== 'word', right),
    (kind) => kind === 'word',
    right,
  );
}

/** The start of this word, or of the one before. */
export function wordLeft(lines: Lines, from: Position): Position {
  return runBack(
    lines,
    runBack(lines, from, (kind) => kind !== 'word'),
    (kind) => kind === 'word',
  );
}

type Test = (kind: WordClass) => boolean;
type Motion = (lines: Lines, at: Position) => Position;

function run(lines: Lines, from: Position, holds: Test, motion: Motion): Position {
  let at = from;
  while (holds(classAfter(lines, at))) {
    const next = motion(lines, at);
    if (same(next, at)) return at;
    at = next;
  }
  return at;
}

function runBack(lines: Lines, from: Position, holds: Test): Position {
  let at = from;
  for (;;) {
    const before = left(lines, at);
    if (same(before, at) || !holds(classAfter(lines, before))) return at;
    at = before;
  }
}
