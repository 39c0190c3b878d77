/**
 * Texts of one byte per character: Latin-1, and Windows-1252, which has quotes and dashes where Latin-1 has nothing.
 * Such a file stays what it is when new text comes into it.
 */
import { isUtf8 } from 'node:buffer';

/** How a text is written as bytes. */
export type TextEncoding = 'UTF-8' | 'Latin-1' | 'Windows-1252';

/** What Windows-1252 has at 0x80 to 0x9F; what it leaves open stays a control character. */
const WINDOWS =
  '\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F' +
  '\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178';
const FIRST = 0x80;
const BEYOND_ASCII = /[^\0-\x7f\ufffd]/u;

/** The encoding of a text; undefined when some of it is UTF-8 and some is not. */
export function encodingOf(content: Uint8Array): TextEncoding | undefined {
  if (isUtf8(content)) return 'UTF-8';
  const bytes = asBuffer(content);
  if (BEYOND_ASCII.test(bytes.toString('utf8')) || bytes.includes('\ufffd')) return undefined;
  return bytes.some((byte) => byte >= FIRST && byte < FIRST + WINDOWS.length) ? 'Windows-1252' : 'Latin-1';
}

/** The text of bytes; what is in no encoding shows as U+FFFD. */
export function decoded(content: Uint8Array, encoding: TextEncoding | undefined): string {
  const bytes = asBuffer(content);
  if (encoding === 'UTF-8' || encoding === undefined) return bytes.toString('utf8');
  const text = bytes.toString('latin1');
  if (encoding === 'Latin-1') return text;
  return text.replaceAll(/[\x80-\x9f]/g, (character) => WINDOWS[character.charCodeAt(0) - FIRST] ?? character);
}

/** The bytes of a text, or the first character that the encoding does not have. */
export function encoded(text: string, encoding: TextEncoding): Buffer | { readonly unfit: string } {
  if (encoding === 'UTF-8') return Buffer.from(text);
  const single =
    encoding === 'Latin-1'
      ? text
      : text.replaceAll(/[^\0-\x7f\xa0-\xff]/gu, (character) => {
          const at = WINDOWS.indexOf(character);
          // The characters of Latin-1 that Windows-1252 has given up are in neither.
          return at < 0 ? '\ufffd' : String.fromCharCode(FIRST + at);
        });
  const at = [...single].findIndex((character) => character > '\xff');
  return at < 0 ? Buffer.from(single, 'latin1') : { unfit: [...text][at] ?? '' };
}

function asBuffer(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
