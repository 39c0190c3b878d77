import type { TextColumns } from './component.ts';
import { isImage, readImage } from './image-rows.ts';

/** What to write, and in which column, to turn a row into another. */
export interface RowChange {
  readonly column: number;
  readonly text: string;
}

// oxlint-disable-next-line no-control-regex -- styles are what this is about
const STYLES = /\x1b\[[0-9;:]*m/g;
const PLAIN = /^[ -~]*$/;
const RESETS = new Set(['\x1b[0m', '\x1b[m']);

/**
 * The shortest safe change. A beginning that both rows share stays, as far as it is ASCII: terminals disagree about the
 * columns of other characters, and a whole row is right in all of them.
 */
export function rowChange(before: string, after: string, columns: number, text: TextColumns): RowChange | undefined {
  if (before === after) return undefined;
  if (isImage(after)) return { column: 0, text: `\x1b[K${readImage(after)?.sequence ?? ''}` };
  if (isImage(before)) return { column: 0, text: `\x1b[K${after}` };
  const kept = sharedStart(before, after);
  const plain = kept.replaceAll(STYLES, '');
  if (plain.length === 0 || plain.length >= columns || !PLAIN.test(plain)) {
    return { column: 0, text: before === '' ? after : `\x1b[K${after}` };
  }
  const rest = openStyles(kept) + after.slice(kept.length);
  const tail = before.slice(kept.length);
  // Erased first: behind the last column there is nowhere for the cursor to stand. A longer ASCII tail covers the old.
  const covers =
    PLAIN.test(tail) && text.width(after.slice(kept.length)) >= tail.length && PLAIN.test(after.slice(kept.length));
  return { column: plain.length, text: covers ? rest : `\x1b[K${rest}` };
}

/** What both begin with; never a part of a style, nor a character without its marks. */
function sharedStart(before: string, after: string): string {
  let end = 0;
  const most = Math.min(before.length, after.length);
  while (end < most && before.charCodeAt(end) === after.charCodeAt(end)) end += 1;
  // A mark that follows belongs to the character before it.
  if (before.charCodeAt(end) >= 0x80 || after.charCodeAt(end) >= 0x80) end -= 1;
  // A link is written whole, with what it is around.
  const link = after.indexOf('\x1b]');
  if (link >= 0 && link < end) end = link;
  const escape = after.lastIndexOf('\x1b', end - 1);
  if (escape >= 0) {
    const close = after.indexOf('m', escape);
    if (close < 0 || close >= end) end = escape;
  }
  return after.slice(0, Math.max(0, end));
}

/** The styles that are open at the end of a text. */
function openStyles(text: string): string {
  const styles = text.match(STYLES) ?? [];
  const from = styles.findLastIndex((style) => RESETS.has(style));
  return styles.slice(from + 1).join('');
}
