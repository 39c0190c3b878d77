import type { SourceRange } from './contract.ts';

/** How many UTF-16 units lie between two remembered byte offsets. */
const STRIDE = 256;

/** A text whose UTF-16 offsets can be turned into bytes, lines and columns without walking it from the start. */
export class SourceText {
  readonly text: string;
  readonly lineStarts: readonly number[];
  /** Byte offsets at every `STRIDE` units; absent when all of the text is ASCII and both counts agree. */
  readonly #bytesAt: readonly number[] | undefined;

  constructor(text: string) {
    this.text = text;
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.lineStarts = starts;
    this.#bytesAt = isAscii(text) ? undefined : byteOffsets(text);
  }

  /** The number of lines; a final newline does not open another one. */
  get lineCount(): number {
    if (this.text === '') return 0;
    return this.lineStarts.length - (this.text.endsWith('\n') ? 1 : 0);
  }

  /** The byte offset of a UTF-16 offset. */
  byte(unit: number): number {
    if (this.#bytesAt === undefined) return unit;
    const block = Math.floor(unit / STRIDE);
    return (this.#bytesAt[block] ?? 0) + byteLength(this.text, block * STRIDE, unit);
  }

  /** The range of two UTF-16 offsets. */
  range(start: number, end: number): SourceRange {
    const from = this.#position(start);
    const to = this.#position(end);
    return {
      byteStart: this.byte(start),
      byteEnd: this.byte(end),
      startLine: from.line,
      startColumn: from.column,
      endLine: to.line,
      endColumn: to.column,
    };
  }

  #position(unit: number): { line: number; column: number } {
    let low = 0;
    let high = this.lineStarts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= unit) low = middle + 1;
      else high = middle;
    }
    const line = Math.max(low, 1);
    return { line, column: unit - (this.lineStarts[line - 1] ?? 0) + 1 };
  }
}

/** The UTF-8 length of a part of a well-formed text. */
export function byteLength(text: string, start: number, end: number): number {
  let bytes = 0;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair counts two of the pair's four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  }
  return bytes;
}

function byteOffsets(text: string): number[] {
  const offsets = [0];
  for (let at = 0; at < text.length; at += STRIDE) {
    offsets.push((offsets.at(-1) ?? 0) + byteLength(text, at, Math.min(at + STRIDE, text.length)));
  }
  return offsets;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** The longest start of a text with at most `limit` UTF-16 units that does not split a character. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const splits = limit > 0 && last >= 0xd800 && last < 0xdc00;
  return text.slice(0, splits ? limit - 1 : limit);
}

/** Node 20 has it, the ES2023 library types do not. */
const native = String.prototype as unknown as { toWellFormed(this: string): string };

/** The text with lone surrogates replaced: they have no UTF-8 form, and both engines must see the same text. */
export function wellFormed(text: string): string {
  return native.toWellFormed.call(text);
}
