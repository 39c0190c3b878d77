/** How a text is written where another one was: models write plain lines, files have their ways. */
import { encoded, encodingOf } from '../text-encoding.ts';

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The content as the file is written, and what of its ways was kept. */
export interface TextForm {
  readonly content: Buffer;
  readonly kept: readonly string[];
}

/** Keeps a byte order mark, UTF-16, Latin-1 where all characters fit it, and CRLF where the old text has nothing else and the new one has no carriage return. */
export function inFormOf(before: Buffer | undefined, written: string): TextForm {
  if (!before) return { content: Buffer.from(written), kept: [] };
  const kept: string[] = [];
  let text = written;
  if (hasOnlyCrLf(asBytes(before)) && !text.includes('\r') && text.includes('\n')) {
    text = text.replaceAll('\n', '\r\n');
    kept.push('CRLF kept');
  }
  const order = byteOrderOf(before);
  if (order) {
    const units = Buffer.from(`\uFEFF${text.replace(/^\uFEFF/, '')}`, 'utf16le');
    return { content: order === 'big' ? units.swap16() : units, kept: [...kept, 'UTF-16 kept'] };
  }
  const encoding = encodingOf(before) ?? 'UTF-8';
  if (encoding !== 'UTF-8' && /[^\0-\x7f]/.test(text)) {
    const content = encoded(text, encoding);
    if (!('unfit' in content)) return { content, kept: [...kept, `${encoding} kept`] };
    kept.push(`UTF-8 now, because ${encoding} has no "${content.unfit}"`);
  }
  const content = Buffer.from(text);
  if (!before.subarray(0, 3).equals(MARK) || content.subarray(0, 3).equals(MARK)) return { content, kept };
  return { content: Buffer.concat([MARK, content]), kept: [...kept, 'byte order mark kept'] };
}

function hasOnlyCrLf(content: Buffer): boolean {
  let lines = 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) {
    if (content[at - 1] !== 13) return false;
    lines++;
  }
  return lines > 0;
}

/** Of UTF-16 text, by its mark. */
function byteOrderOf(content: Buffer): 'little' | 'big' | undefined {
  if (content[0] === 0xff && content[1] === 0xfe) return 'little';
  return content[0] === 0xfe && content[1] === 0xff ? 'big' : undefined;
}

function asBytes(content: Buffer): Buffer {
  const order = byteOrderOf(content);
  if (!order) return content;
  const even = Buffer.from(content.subarray(0, content.length - (content.length % 2)));
  return Buffer.from((order === 'big' ? even.swap16() : even).toString('utf16le'));
}
