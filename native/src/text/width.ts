/** How many terminal columns text takes; the rules are those of `crates/text/src/width.rs`. */
import { PICTOGRAPHIC, WIDE, ZERO_WIDTH } from './tables.ts';

const JOINER = 0x200d;
const PICTURE_SELECTOR = 0xfe0f;
const KEYCAP = 0x20e3;
const PRINTABLE_ASCII = /^[ -~]*$/;
/** Every complete escape sequence that takes no columns. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x18\x1a\x1b]*(?:\x07|\x1b\\)/g;

/** The columns of one character on its own; control characters take none. */
export function charWidth(code: number): number {
  if (code >= 0x20 && code <= 0x7e) return 1;
  if (code < 0xa0) return 0;
  // The first wide or zero-width characters come later, except for the soft hyphen.
  if (code < 0x300 && code !== 0xad) return 1;
  if (inTable(WIDE, code)) return 2;
  return inTable(ZERO_WIDTH, code) ? 0 : 1;
}

/** A cluster's end in the text and its columns, packed into one number (end * 4 + columns) to spare an object each. */
export function clusterAt(text: string, at: number): number {
  const first = codeAt(text, at);
  let end = at + (first > 0xffff ? 2 : 1);
  let width = charWidth(first);
  if (first >= 0x20 && first <= 0x7e && !(text.charCodeAt(end) >= 0x80)) return end * 4 + width;
  if (isRegional(first) && isRegional(codeAt(text, end))) {
    end += 2;
    width = 2;
  }
  const picture = isPictographic(first);
  let previous = first;
  while (end < text.length) {
    const next = codeAt(text, end);
    const joinsPicture = previous === JOINER && isPictographic(next);
    const coloursSkin = picture && next >= 0x1f3fb && next <= 0x1f3ff;
    if (next === KEYCAP || (next === PICTURE_SELECTOR && picture) || joinsPicture) {
      width = width === 0 && !joinsPicture ? 0 : 2;
    } else if (!coloursSkin && (next < 0xa0 || charWidth(next) !== 0)) {
      break;
    }
    previous = next;
    end += next > 0xffff ? 2 : 1;
  }
  return end * 4 + width;
}

/** How many columns a terminal gives the text; escape sequences take none and end a cluster. */
export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  const parts = text.includes('\x1b') ? text.split(SEQUENCES) : [text];
  return parts.reduce((sum, part) => sum + clustersWidth(part), 0);
}

function clustersWidth(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length;) {
    const cluster = clusterAt(text, at);
    width += cluster & 3;
    at = cluster >>> 2;
  }
  return width;
}

/** The character at `at`; half of a surrogate pair counts as the replacement character that it becomes in UTF-8. */
function codeAt(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
}

function isPictographic(code: number): boolean {
  return code >= 0xa9 && inTable(PICTOGRAPHIC, code);
}

function isRegional(code: number): boolean {
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

function inTable(table: readonly number[], code: number): boolean {
  let low = 0;
  let high = table.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (table[middle * 2 + 1]! < code) low = middle + 1;
    else high = middle;
  }
  return low * 2 < table.length && table[low * 2]! <= code;
}
