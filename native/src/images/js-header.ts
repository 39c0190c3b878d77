/** What the header of a picture says, read without decoding it. */
import type { ImageFacts } from './contract.ts';

/** The format, size and orientation of a picture; nothing when the bytes are none that is known. */
export function readHeader(bytes: Uint8Array): (ImageFacts & { readonly orientation: number }) | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return png(view) ?? jpeg(view) ?? gif(view) ?? webp(view) ?? bmp(view) ?? tiff(view);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // The header is cut off.
    throw error;
  }
}

function facts(mimeType: string, width: number, height: number, orientation = 1) {
  const isExchanged = orientation > 4;
  return {
    mimeType,
    width: isExchanged ? height : width,
    height: isExchanged ? width : height,
    isTurned: orientation !== 1,
    orientation,
  };
}

function png(view: Buffer) {
  if (view.toString('latin1', 0, 8) !== '\u0089PNG\r\n\u001a\n') return undefined;
  return facts('image/png', view.readUInt32BE(16), view.readUInt32BE(20));
}

function gif(view: Buffer) {
  if (!/^GIF8[79]a/.test(view.toString('latin1', 0, 6))) return undefined;
  return facts('image/gif', view.readUInt16LE(6), view.readUInt16LE(8));
}

function bmp(view: Buffer) {
  if (view.toString('latin1', 0, 2) !== 'BM') return undefined;
  return facts('image/bmp', Math.abs(view.readInt32LE(18)), Math.abs(view.readInt32LE(22)));
}

function webp(view: Buffer) {
  if (view.toString('latin1', 0, 4) !== 'RIFF' || view.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const kind = view.toString('latin1', 12, 16);
  if (kind === 'VP8X') return facts('image/webp', view.readUIntLE(24, 3) + 1, view.readUIntLE(27, 3) + 1);
  if (kind === 'VP8L') {
    const bits = view.readUInt32LE(21);
    return facts('image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  return facts('image/webp', view.readUInt16LE(26) & 0x3fff, view.readUInt16LE(28) & 0x3fff);
}

/** Frames that carry the size: all "start of frame" markers but those of tables. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

function jpeg(view: Buffer) {
  if (view.length < 4 || view.readUInt16BE(0) !== 0xff_d8 || view[2] !== 0xff) return undefined;
  let orientation = 1;
  for (let at = 2; at + 4 <= view.length;) {
    if (view[at] !== 0xff) return undefined;
    const marker = view.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = view.readUInt16BE(at + 2);
    if (FRAMES.has(marker)) {
      return facts('image/jpeg', view.readUInt16BE(at + 7), view.readUInt16BE(at + 5), orientation);
    }
    if (marker === 0xe1 && view.toString('latin1', at + 4, at + 10) === 'Exif\0\0') {
      orientation = tags(view.subarray(at + 10, at + 2 + length)).get(0x01_12) ?? 1;
    }
    at += 2 + length;
  }
  return undefined;
}

function tiff(view: Buffer) {
  if (!/^(?:II\*\0|MM\0\*)/.test(view.toString('latin1', 0, 4))) return undefined;
  const found = tags(view);
  const [width, height] = [found.get(0x01_00), found.get(0x01_01)];
  if (width === undefined || height === undefined) return undefined;
  return facts('image/tiff', width, height, orientationOf(found.get(0x01_12)));
}

function orientationOf(value: number | undefined): number {
  return value !== undefined && value >= 1 && value <= 8 ? value : 1;
}

/** The short and long numbers of the first folder of a TIFF, which EXIF is too. */
function tags(view: Buffer): Map<number, number> {
  const isLittle = view.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? view.readUInt16LE(at) : view.readUInt16BE(at));
  const long = (at: number) => (isLittle ? view.readUInt32LE(at) : view.readUInt32BE(at));
  const found = new Map<number, number>();
  const folder = long(4);
  const count = Math.min(short(folder), 500);
  for (let at = 0; at < count; at += 1) {
    const entry = folder + 2 + at * 12;
    const type = short(entry + 2);
    if (type === 3) found.set(short(entry), short(entry + 8));
    else if (type === 4) found.set(short(entry), long(entry + 8));
  }
  return found;
}
