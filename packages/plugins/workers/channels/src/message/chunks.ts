/** Cuts messages to the size that a service takes. Code that is cut stays code on both sides. */
import type { Block } from '../channel.ts';

/** How large a message may be, and how large blocks are when they are written for that service. */
export interface Measure {
  readonly limit: number;
  size(blocks: readonly Block[]): number;
}

/** The blocks as messages that each fit. Together they hold the same text, in the same order. */
export function chunksOf(blocks: readonly Block[], measure: Measure): readonly (readonly Block[])[] {
  const chunks: Block[][] = [];
  let chunk: Block[] = [];
  const fits = (more: Block) => measure.size([...chunk, more]) <= measure.limit;
  for (const block of blocks) {
    let rest = block.text;
    while (rest !== '') {
      const whole = { kind: block.kind, text: rest };
      if (fits(whole)) {
        chunk.push(whole);
        break;
      }
      const [line = ''] = rest.split('\n', 1);
      const isLong = measure.size([{ kind: block.kind, text: line }]) > measure.limit;
      const length = cutAt(rest, (text) => fits({ kind: block.kind, text }), chunk.length === 0, isLong);
      if (length > 0) chunk.push({ kind: block.kind, text: rest.slice(0, length) });
      rest = rest.slice(length);
      chunks.push(chunk);
      chunk = [];
    }
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}

/**
 * How much of a text to take: to the end of a line, or of a word where the line is too long for any message. At least a
 * character when it must.
 */
function cutAt(text: string, fits: (text: string) => boolean, mustTake: boolean, isLong: boolean): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  // Escapes are not the same size everywhere, so what a search by halves finds is checked.
  let length = whole(text, low);
  while (length > 0 && !fits(text.slice(0, length))) length = whole(text, length - 1);
  const head = text.slice(0, length);
  const least = mustTake ? Math.floor(length / 2) : 0;
  const line = head.lastIndexOf('\n') + 1;
  if (line > least && fits(text.slice(0, line))) return line;
  // A new message begins rather than a line is torn that fits into one.
  if (!mustTake && !isLong) return 0;
  const word = head.lastIndexOf(' ') + 1;
  if (word > least && fits(text.slice(0, word))) return word;
  if (!mustTake) return 0;
  // Something must go, however small the limit is: a message of one character is refused by the service, and that is told.
  return Math.max(length, whole(text, 2));
}

/** A length that does not cut a character in two. */
function whole(text: string, length: number): number {
  const before = text.charCodeAt(length - 1);
  const isTorn = length > 0 && length < text.length && before >= 0xd8_00 && before <= 0xdb_ff;
  return isTorn ? length - 1 : length;
}
