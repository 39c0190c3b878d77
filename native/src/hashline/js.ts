import { lineCode } from './anchor.ts';
import type { Hashline } from './contract.ts';
import { applySection } from './js-apply.ts';
import { parsePatch } from './js-patch.ts';
import { asBuffer, bomLength, LineText } from './js-text.ts';
import { anchorOf, brokenString, patchBytes } from './patch-bytes.ts';

const NEWLINE = 10;
const RETURN = 13;
/** The longest anchor (nine digits, two letters), its separator and the newline. */
const MOST_EXTRA_BYTES = 13;

/** The hashline accelerator in plain JavaScript. */
export function createJs(): Hashline {
  return {
    hashLines,
    anchor: anchorOf,
    format: (content, range = {}) => format(content, range.first ?? 1, range.last ?? Infinity),
    parse(patch, options = {}) {
      const bytes = patchBytes(patch);
      return bytes ? parsePatch(bytes, options.path) : brokenString(String(patch));
    },
    apply: (content, section, options = {}) => applySection(content, section, options.snapshot),
  };
}

function hashLines(content: Uint8Array): Uint16Array {
  const bytes = asBuffer(content);
  let codes = new Uint16Array((bytes.length >>> 5) + 16);
  let count = 0;
  for (let start = bomLength(bytes); start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    if (count === codes.length) {
      const larger = new Uint16Array(count * 2);
      larger.set(codes);
      codes = larger;
    }
    codes[count] = lineCode(bytes, start, end, count + 1);
    count++;
    start = end + 1;
  }
  return codes.slice(0, count);
}

function format(content: Uint8Array, first: number, last: number): Buffer {
  const text = new LineText(content);
  const { bytes } = text;
  const from = Math.max(first, 1);
  const to = Math.min(last, text.count);
  if (from > to) return Buffer.alloc(0);
  const size = text.start(to) - text.start(from - 1);
  const out = Buffer.allocUnsafe(size + (to - from + 1) * MOST_EXTRA_BYTES);
  let at = 0;
  for (let number = from; number <= to; number++) {
    const start = text.start(number - 1);
    let end = text.start(number);
    if (bytes[end - 1] === NEWLINE) end -= end - start > 1 && bytes[end - 2] === RETURN ? 2 : 1;
    const code = lineCode(bytes, start, end, number);
    at += out.write(String(number), at, 'latin1');
    out[at++] = 97 + Math.floor(code / 26);
    out[at++] = 97 + (code % 26);
    out[at++] = 0x7c;
    at += bytes.copy(out, at, start, end);
    out[at++] = NEWLINE;
  }
  return out.subarray(0, at);
}
