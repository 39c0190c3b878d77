import { StringDecoder } from 'node:string_decoder';

/** One line, or the news that one was too long to be kept. */
export type Line = { readonly text: string } | { readonly tooLong: true };

const MAX_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;

/** Splits bytes into lines: only at line feeds, never inside a character, and with a limit on what one line may take. */
export async function* readLines(input: AsyncIterable<Uint8Array>, maxBytes = MAX_BYTES): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      size += at - from;
      if (size <= maxBytes) parts.push(chunk.subarray(from, at));
      yield lineOf(parts, size > maxBytes);
      [parts, size, from] = [[], 0, at + 1];
    }
    size += chunk.length - from;
    if (size <= maxBytes) parts.push(chunk.subarray(from));
    else parts = []; // What was kept of a line that is too long is of no use.
  }
  if (size > 0) yield lineOf(parts, size > maxBytes);
}

function lineOf(parts: readonly Uint8Array[], tooLong: boolean): Line {
  if (tooLong) return { tooLong: true };
  const decoder = new StringDecoder('utf8');
  const text = parts.map((part) => decoder.write(Buffer.from(part.buffer, part.byteOffset, part.byteLength))).join('');
  return { text: (text + decoder.end()).replace(/\r$/, '') };
}

/** True for a line that holds nothing. */
export function isBlank(line: Line): boolean {
  return 'text' in line && line.text.trim() === '';
}
