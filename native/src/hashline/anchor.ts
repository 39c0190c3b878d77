/**
 * Two letters that stand for a line's text: XXH32 of the text without trailing blanks, reduced to 26 × 26. A line
 * without a letter, digit or non-ASCII byte (`}`, a blank line) has its line number as the seed, because its text
 * alone could not tell it from its siblings.
 */

/** How many different anchors there are. */
export const ANCHORS = 26 * 26;

const PRIME1 = 0x9e3779b1 | 0;
const PRIME2 = 0x85ebca77 | 0;
const PRIME3 = 0xc2b2ae3d | 0;
const PRIME4 = 0x27d4eb2f;
const PRIME5 = 0x165667b1;

/** By byte: 1 for trailing blanks that do not count, 2 for bytes that tell a line from its siblings. */
const BYTE_CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (' \t\r\v\f'.includes(char)) return 1;
  return byte >= 0x80 || /[0-9A-Za-z]/.test(char) ? 2 : 0;
});

/** Where the text in `bytes[start, end)` ends without its trailing blanks. */
export function trimmedEnd(bytes: Uint8Array, start: number, end: number): number {
  while (end > start && BYTE_CLASS[bytes[end - 1]!] === 1) end--;
  return end;
}

/** True when the text has an ASCII letter or digit, or any byte of another script. */
export function isTelling(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (BYTE_CLASS[bytes[at]!] === 2) return true;
  return false;
}

/** The anchor code (below `ANCHORS`) of the line in `bytes[start, end)`; `number` counts from 1. */
export function lineCode(bytes: Uint8Array, start: number, end: number, number: number): number {
  end = trimmedEnd(bytes, start, end);
  return xxh32(bytes, start, end, isTelling(bytes, start, end) ? 0 : number) % ANCHORS;
}

/** The two letters of a code. */
export function anchorLetters(code: number): string {
  return String.fromCharCode(97 + Math.floor(code / 26), 97 + (code % 26));
}

/** XXH32 (the published algorithm) of `bytes[start, end)`. */
export function xxh32(bytes: Uint8Array, start: number, end: number, seed: number): number {
  const length = end - start;
  let at = start;
  let hash: number;
  if (length >= 16) {
    let lane1 = (seed + PRIME1 + PRIME2) | 0;
    let lane2 = (seed + PRIME2) | 0;
    let lane3 = seed | 0;
    let lane4 = (seed - PRIME1) | 0;
    for (const last = end - 16; at <= last; at += 16) {
      lane1 = Math.imul(rotate(lane1 + Math.imul(word(bytes, at), PRIME2), 13), PRIME1);
      lane2 = Math.imul(rotate(lane2 + Math.imul(word(bytes, at + 4), PRIME2), 13), PRIME1);
      lane3 = Math.imul(rotate(lane3 + Math.imul(word(bytes, at + 8), PRIME2), 13), PRIME1);
      lane4 = Math.imul(rotate(lane4 + Math.imul(word(bytes, at + 12), PRIME2), 13), PRIME1);
    }
    hash = (rotate(lane1, 1) + rotate(lane2, 7) + rotate(lane3, 12) + rotate(lane4, 18)) | 0;
  } else {
    hash = (seed + PRIME5) | 0;
  }
  hash = (hash + length) | 0;
  for (; at + 4 <= end; at += 4) hash = Math.imul(rotate(hash + Math.imul(word(bytes, at), PRIME3), 17), PRIME4);
  for (; at < end; at++) hash = Math.imul(rotate(hash + Math.imul(bytes[at]!, PRIME5), 11), PRIME1);
  hash = Math.imul(hash ^ (hash >>> 15), PRIME2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}
