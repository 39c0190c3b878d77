/** Lines of a text that is too large to be held in memory, found by reading through it once. */
import type { Accelerators } from '@tenon/native';
import { MAX_OUTPUT_BYTES } from '@tenon/tools/api';
import { decoded, encodingOf } from '../text-encoding.ts';
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
  const rows: { readonly label: string; readonly line: Buffer }[] = [];
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
      const line = isWhole ? Buffer.concat(kept) : wholeCharacters(Buffer.concat(kept));
      const label = isWhole && anchors ? hashline.anchor(line, number) : String(number);
      rows.push({ label, line: line.at(-1) === 13 ? line.subarray(0, -1) : line });
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
  if (rows.length === 0 || (selector.first ?? 1) >= number)
    return { text: pastEnd(selector.first ?? 1, number - 1, shownPath), meta: {} };
  // Nobody reads on to the end of a large file only to see how it is written: the lines that are shown decide.
  const encoding = encodingOf(Buffer.concat(rows.map(({ line }) => line)));
  const lines = rows.map(({ label, line }) => {
    const text = decoded(line, encoding);
    return selector.raw ? text : `${label}|${text}`;
  });
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

/** A line that was cut, without the character that the cut may have gone through: it would look like another encoding. */
function wholeCharacters(line: Buffer): Buffer {
  let end = line.length;
  while (end > 0 && line.length - end < 3 && (line[end - 1] ?? 0) >= 0x80) end--;
  return line.subarray(0, end);
}
