/** Small changes of vi: r, ~, J. */
import { nextBorder } from '../graphemes.ts';
import type { TextBuffer } from '../text-buffer.ts';
import { lastOffset } from './vi-motions.ts';

/** Where `count` graphemes from the caret end; nothing when the line has fewer. */
function graphemesOn(buffer: TextBuffer, count: number): number | undefined {
  const text = buffer.line(buffer.caret.line);
  let at = buffer.caret.offset;
  for (let done = 0; done < count; done += 1) {
    if (at >= text.length) return undefined;
    at = nextBorder(text, at);
  }
  return at;
}

/** Puts a character in place of others; nothing happens when there are too few. */
export function replaceCharacters(buffer: TextBuffer, character: string, count: number): boolean {
  const { line, offset } = buffer.caret;
  const end = graphemesOn(buffer, count);
  if (end === undefined) return false;
  buffer.replace({ line, offset }, { line, offset: end }, character.repeat(count));
  buffer.moveTo({ line, offset: offset + character.length * (count - 1) });
  return true;
}

/** Makes small letters large and large ones small. */
export function toggleCase(buffer: TextBuffer, count: number): boolean {
  const { line, offset } = buffer.caret;
  const text = buffer.line(line);
  if (text === '') return false;
  let end = offset;
  for (let done = 0; done < count && end < text.length; done += 1) end = nextBorder(text, end);
  const toggled = [...text.slice(offset, end)].map((one) =>
    one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
  );
  buffer.replace({ line, offset }, { line, offset: end }, toggled.join(''));
  const now = buffer.line(line);
  buffer.moveTo({ line, offset: Math.min(buffer.caret.offset, lastOffset(now)) });
  return true;
}

/** Joins lines by one space each. */
export function joinLines(buffer: TextBuffer, count: number): boolean {
  const { line } = buffer.caret;
  if (line + 1 >= buffer.lineCount) return false;
  const joins = Math.min(Math.max(1, count - 1), buffer.lineCount - line - 1);
  for (let done = 0; done < joins; done += 1) {
    const text = buffer.line(line);
    const next = buffer.line(line + 1);
    const indent = next.length - next.replace(/^[ \t]+/, '').length;
    const needsNone = text === '' || /[ \t]$/.test(text) || indent === next.length || next[indent] === ')';
    buffer.replace({ line, offset: text.length }, { line: line + 1, offset: indent }, needsNone ? '' : ' ');
    const at = needsNone ? Math.min(text.length, lastOffset(buffer.line(line))) : text.length;
    buffer.moveTo({ line, offset: at });
  }
  return true;
}
