/** What a file is, told by its first bytes. */

/** An image that models can look at. */
export interface ImageInfo {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width?: number;
  readonly height?: number;
}

/** How many bytes from the start tell what a file is. */
export const HEAD_BYTES = 64 * 1024;

/** True when the head of a file has a zero byte, which no text has; UTF-16 is not text to these tools. */
export function isBinary(head: Buffer): boolean {
  return head.subarray(0, 8192).includes(0);
}

/** The image's kind and size, or undefined when it is none. */
export function imageInfo(head: Buffer): ImageInfo | undefined {
  if (head.length >= 24 && head.readUInt32BE(0) === 0x89504e47) {
    return { mimeType: 'image/png', width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  }
  const text = head.toString('latin1', 0, 16);
  if (/^GIF8[79]a/.test(text) && head.length >= 10) {
    return { mimeType: 'image/gif', width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  }
  if (/^RIFF.{4}WEBP/s.test(text)) return { mimeType: 'image/webp', ...webpSize(head) };
  if (head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff) return { mimeType: 'image/jpeg', ...jpegSize(head) };
  return undefined;
}

function webpSize(head: Buffer): { width: number; height: number } | undefined {
  if (head.length < 30) return undefined;
  const kind = head.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

/** Walks the segments up to the frame header; a header behind a large thumbnail is not found, and that is fine. */
function jpegSize(head: Buffer): { width: number; height: number } | undefined {
  let at = 2;
  while (at + 9 < head.length && head[at] === 0xff) {
    const marker = head[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
    at += 2 + head.readUInt16BE(at + 2);
  }
  return undefined;
}
