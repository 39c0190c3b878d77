/**
 * File names as JavaScript strings without losing bytes. A byte that is not UTF-8 becomes a lone surrogate
 * (U+DC80–U+DCFF), which no valid name contains, so that the name leads back to its file.
 */
import { isUtf8 } from 'node:buffer';

const ESCAPE_BASE = 0xdc00;
const ESCAPED = /[\udc80-\udcff]/u;

/** The string for a name as the system gives it. */
export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let name = '';
  for (let at = 0; at < bytes.length;) {
    const length = validLength(bytes, at);
    if (length === 0) {
      name += String.fromCharCode(ESCAPE_BASE + (bytes[at] ?? 0));
      at += 1;
    } else {
      name += bytes.toString('utf8', at, at + length);
      at += length;
    }
  }
  return name;
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
