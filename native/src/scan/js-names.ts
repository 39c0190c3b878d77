/**
 * File names as JavaScript strings without losing bytes. A byte that is not UTF-8 becomes a lone surrogate
 * (U+DC80–U+DCFF), which no valid name contains, so that the name leads back to its file. So do the ends of lines,
 * since fast-glob matches names with a dot that stops there.
 */
import { isUtf8 } from 'node:buffer';

const ESCAPE_BASE = 0xdc00;
const ESCAPED = /[\udc0a\udc0d\udc80-\udcff]/u;
const LINE_ENDS = /[\n\r\u2028\u2029]/gu;

/** The string for a name as the system gives it. */
export function nameOf(bytes: Buffer): string {
  const name = losslessText(bytes);
  return name.search(LINE_ENDS) === -1 ? name : name.replaceAll(LINE_ENDS, (end) => escaped(Buffer.from(end)));
}

/** Bytes as a string: those that are not UTF-8 become lone surrogates. */
export function losslessText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = validLength(bytes, at);
    text += length === 0 ? escaped(bytes.subarray(at, at + 1)) : bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return text;
}

function escaped(bytes: Buffer): string {
  return Array.from(bytes, (byte) => String.fromCharCode(ESCAPE_BASE + byte)).join('');
}

function validLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length += 1) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

/** What the file system calls take for such a string. */
export function systemPath(name: string): string | Buffer {
  if (!ESCAPED.test(name)) return name;
  const parts: Buffer[] = [];
  for (const character of name) {
    const code = character.codePointAt(0) ?? 0;
    parts.push(ESCAPED.test(character) ? Buffer.from([code - ESCAPE_BASE]) : Buffer.from(character, 'utf8'));
  }
  return Buffer.concat(parts);
}

/** The text that is shown and matched: bytes that are not UTF-8 become replacement characters. */
export function shown(name: string): string {
  const path = systemPath(name);
  return typeof path === 'string' ? path : path.toString('utf8');
}

// oxlint-disable-next-line no-control-regex -- the whole ASCII range is meant
const ASCII = /^[\0-\x7f]*$/u;

/** One character per byte: git matches bytes, so its `?` is one byte and not one character. */
export function bytesAsText(name: string): string {
  return ASCII.test(name) ? name : Buffer.from(systemPath(name)).toString('latin1');
}

const BEYOND_PLAIN_ORDER = /[\ud800-\uffff]/;

/** Orders paths depth first with siblings by the bytes of their names. */
export function comparePaths(left: string, right: string): number {
  if (BEYOND_PLAIN_ORDER.test(left) || BEYOND_PLAIN_ORDER.test(right)) {
    const bytes = (path: string): Buffer => Buffer.from(systemPath(path.replaceAll('/', '\0')));
    return Buffer.compare(bytes(left), bytes(right));
  }
  const a = left.replaceAll('/', '\0');
  const b = right.replaceAll('/', '\0');
  return a < b ? -1 : Number(a > b);
}
