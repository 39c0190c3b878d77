/** Images that tools give back, where the terminal can show them. */
import { imageProtocol, imageRows, type TerminalFacts } from '@tenon/screen';
import type { ToolResult } from '@tenon/tools/api';
import { pngPixels } from './png-pixels.ts';

const KINDS: Readonly<Record<string, 'png' | 'jpeg' | 'gif' | 'webp'>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const MOST_ROWS = 16;

/** The rows of the images of a result; none where the terminal shows no images. */
export function resultImageRows({ content }: ToolResult, facts: TerminalFacts, columns: number): string[] {
  return content.flatMap((part) => {
    const kind = part.type === 'image' ? KINDS[part.mimeType] : undefined;
    if (part.type !== 'image' || kind === undefined) return [];
    const bytes = Buffer.from(part.data, 'base64');
    const size = imageSize(bytes, kind);
    if (!size) return [];
    const limits = { maxColumns: Math.max(1, columns - 2), maxRows: MOST_ROWS };
    // Sixels are drawn from pixels; the other terminals take the file.
    const pixels = kind === 'png' && imageProtocol(facts) === 'sixel' ? pngPixels(bytes) : undefined;
    return imageRows({ ...size, file: { bytes, kind }, ...(pixels && { rgba: pixels.rgba }) }, facts, limits) ?? [];
  });
}

/** Width and height, from the head of the file. */
export function imageSize(
  bytes: Buffer,
  kind: 'png' | 'jpeg' | 'gif' | 'webp',
): { readonly width: number; readonly height: number } | undefined {
  if (kind === 'png' && bytes.length >= 24) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (kind === 'gif' && bytes.length >= 10) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (kind === 'jpeg') return jpegSize(bytes);
  return undefined;
}

const START_OF_FRAME = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/** The first frame's header says it; the parts before are skipped by their length. */
function jpegSize(bytes: Buffer): { readonly width: number; readonly height: number } | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    if (START_OF_FRAME.has(bytes[at + 1] ?? 0))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
