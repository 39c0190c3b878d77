/** Lines of a text that is too large to be held in memory, found by reading through it once. */
import type { Accelerators } from '@tenon/native';
import { MAX_OUTPUT_BYTES } from '@tenon/tools/api';
import { linesWanted, pastEnd, shownLines, type TextView, type ViewOptions } from './text-view.ts';

/** The part of a line that is kept; a longer one gets no anchor, because its hash covers all of it. */
const MAX_LINE_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Reads on until the wanted lines or the room for them are used up; what comes after is not counted. */
export async function streamedView(
  hashline: Accelerators['hashline'],
  chunks: AsyncIterable<Buffer>,
  bytes: number,
  { selector, shownPath, defaultLimit, anchors }: ViewOptions,
): Promise<TextView> {
  const wanted = linesWanted(selector, defaultLimit, Number.MAX_SAFE_INTEGER);
  const { first, last } = wanted ?? { first: 1, last: 1 };
  const lines: string[] = [];
  let taken = 0;
  let number = 1;
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let isWhole = true;

  const keep = (part: Buffer): void => {
    if (number < first) return;
    const room = MAX_LINE_BYTES - keptBytes;
    if (part.length > room) isWhole = false;
    if (room > 0) kept.push(Buffer.from(part.subarray(0, room)));
    keptBytes += Math.min(part.length, Math.max(0, room));
  };
  const endLine = (): void => {
    if (number >= first) {
      const line = Buffer.concat(kept);
      const text = (line.at(-1) === 13 ? line.subarray(0, -1) : line).toString('utf8');
      const label = isWhole && anchors ? hashline.anchor(line, number) : String(number);
      lines.push(selector.raw ? text : `${label}|${text}`);
      taken += line.length + 1;
    }
    number++;
    kept = [];
    keptBytes = 0;
    isWhole = true;
  };
  const isDone = () => number > last || taken > MAX_OUTPUT_BYTES;

  let isOpenLine = false;
  reading: for await (const chunk of chunks) {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start);
      keep(chunk.subarray(start, end < 0 ? chunk.length : end));
      isOpenLine = end < 0;
      if (end < 0) break;
      endLine();
      if (isDone()) break reading;
      start = end + 1;
    }
    // A single line without end must not be read through to the end of the disk.
    if (isOpenLine && number >= first && keptBytes >= MAX_LINE_BYTES && taken + keptBytes > MAX_OUTPUT_BYTES) break;
  }
  if (isOpenLine && !isDone()) endLine();
  // A start behind the end would show the line of context before it, and nothing that was asked for.
  if (lines.length === 0 || (selector.first ?? 1) >= number)
    return { text: pastEnd(selector.first ?? 1, number - 1, shownPath), meta: {} };
  const end = first + lines.length - 1;
  return shownLines(lines, {
    first,
    last: end,
    isOpen: selector.last === undefined && isDone(),
    total: undefined,
    totalBytes: bytes,
    shownPath,
    raw: selector.raw,
  });
}
