/** Places in a text of many lines. */

/** A line, and an offset in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly offset: number;
}

/** Lines that can be read; there is always one. */
export interface Lines {
  readonly lineCount: number;
  line(at: number): string;
}

/** A change of a text: what stood from `at` on went, something else came. */
export interface Change {
  readonly at: Position;
  readonly removed: string;
  readonly inserted: string;
}

/** Negative when `a` is before `b`. */
export const compare = (a: Position, b: Position): number => a.line - b.line || a.offset - b.offset;

/** The two places, the earlier one first. */
export const ordered = (a: Position, b: Position): [Position, Position] => (compare(a, b) <= 0 ? [a, b] : [b, a]);

/** Where a text ends that begins at `at`. */
export function endOf(at: Position, text: string): Position {
  const last = text.lastIndexOf('\n');
  if (last < 0) return { line: at.line, offset: at.offset + text.length };
  return { line: at.line + countLineFeeds(text), offset: text.length - last - 1 };
}

/** How many line feeds a text has. */
export function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The list with a part exchanged. Large parts make a new list: a call takes only so many arguments. */
export function exchanged<T>(list: T[], at: number, removed: number, items: readonly T[]): T[] {
  if (items.length > 1000) return list.slice(0, at).concat(items, list.slice(at + removed));
  list.splice(at, removed, ...items);
  return list;
}
