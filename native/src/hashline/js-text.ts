import type { Anchor } from './contract.ts';
import { lineCode } from './anchor.ts';

const NEWLINE = 10;
const RETURN = 13;

/** The two line endings; `none` is an open last line's. */
export type Ending = '\r\n' | '\n' | '';

/** A file's bytes as numbered lines (from 0); see `crates/hashline/src/text.rs` for what a line is. */
export class LineText {
  /** Bytes of the byte order mark at the start: 0 or 3. */
  readonly bom: number;
  readonly bytes: Buffer;
  readonly count: number;
  /** Where each line starts, and one entry more: the end of the file. */
  readonly #starts: Uint32Array;

  constructor(content: Uint8Array) {
    this.bytes = asBuffer(content);
    this.bom = bomLength(this.bytes);
    this.#starts = lineStarts(this.bytes, this.bom);
    this.count = this.#starts.length - 1;
  }

  /** Where line `index` starts; the end of the file for indexes past the last line. */
  start(index: number): number {
    return this.#starts[Math.min(index, this.count)]!;
  }

  /** Where line `index` ends, without its ending. */
  textEnd(index: number): number {
    return this.start(index + 1) - this.ending(index).length;
  }

  /** A line's text, without its ending. */
  text(index: number): Uint8Array {
    return this.bytes.subarray(this.start(index), this.textEnd(index));
  }

  /** A line's ending, which is also its length in bytes. */
  ending(index: number): Ending {
    if (index < 0 || index >= this.count) return '';
    const start = this.start(index);
    const end = this.start(index + 1);
    if (this.bytes[end - 1] !== NEWLINE) return '';
    return end - start > 1 && this.bytes[end - 2] === RETURN ? '\r\n' : '\n';
  }

  /** The ending that a line written next to line `index` should get. */
  endingNear(index: number): Ending {
    return this.ending(index) || this.ending(index - 1) || '\n';
  }

  /** The anchor code of line `index`. */
  code(index: number): number {
    return lineCode(this.bytes, this.start(index), this.textEnd(index), index + 1);
  }

  /** True when the anchor's line is there and has its code. */
  fits(anchor: Anchor): boolean {
    return anchor.line >= 1 && anchor.line <= this.count && this.code(anchor.line - 1) === anchor.code;
  }
}

/** The same memory as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Three when a UTF-8 byte order mark comes first, else none. */
export function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The start of every line, then the end of the file. `indexOf` is the quickest scan that Node has. */
function lineStarts(bytes: Buffer, from: number): Uint32Array {
  let starts = new Uint32Array((bytes.length >>> 5) + 16);
  let count = 1;
  starts[0] = from;
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    if (count + 1 >= starts.length) {
      const larger = new Uint32Array(starts.length * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = at + 1;
  }
  if (starts[count - 1] !== bytes.length) starts[count++] = bytes.length;
  return starts.subarray(0, count);
}
