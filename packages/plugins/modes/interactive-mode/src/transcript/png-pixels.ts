/** The pixels of a PNG, for terminals that take no files: sixels are drawn from pixels. */
import { inflateSync } from 'node:zlib';

/** Decoded pixels: four bytes each, red, green, blue, alpha. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples of a pixel by colour type: grey, colours, palette, grey and alpha, colours and alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** More would hold the screen up; a screen has fewer. */
const MOST_PIXELS = 4_000_000;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
}

/** The pixels; nothing for files that are damaged, interlaced or too large. */
export function pngPixels(bytes: Buffer): Pixels | undefined {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const chunks = chunksOf(bytes);
  const head = chunks.find(({ name }) => name === 'IHDR')?.data;
  if (!head || head.length < 13 || head[12] !== 0) return undefined;
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [depth = 0, type = 0] = head.subarray(8, 10);
  const channels = CHANNELS[type];
  if (channels === undefined || width * height > MOST_PIXELS || width === 0 || height === 0) return undefined;
  if (![1, 2, 4, 8, 16].includes(depth)) return undefined;
  const rowBytes = Math.ceil((width * channels * depth) / 8);
  const part = (name: string) => Buffer.concat(chunks.filter((chunk) => chunk.name === name).map(({ data }) => data));
  const raw = inflated(part('IDAT'), (rowBytes + 1) * height);
  if (!raw) return undefined;
  const rows = unfiltered(raw, rowBytes, height, Math.max(1, (channels * depth) >> 3));
  return toRgba(rows, { width, height, depth, type }, { palette: part('PLTE'), transparent: part('tRNS') });
}

function chunksOf(bytes: Buffer): { readonly name: string; readonly data: Buffer }[] {
  const chunks = [];
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    chunks.push({ name: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function inflated(data: Buffer, length: number): Buffer | undefined {
  try {
    const raw = inflateSync(data, { maxOutputLength: length + 1 });
    return raw.length >= length ? raw : undefined;
  } catch {
    return undefined; // A damaged file is no picture.
  }
}

/** Rows without their filters: each byte was written as its difference to those on the left and above. */
function unfiltered(raw: Buffer, rowBytes: number, height: number, step: number): Uint8Array {
  const rows = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (rowBytes + 1)] ?? 0;
    const from = y * (rowBytes + 1) + 1;
    const to = y * rowBytes;
    for (let x = 0; x < rowBytes; x += 1) {
      const left = x >= step ? (rows[to + x - step] ?? 0) : 0;
      const up = y > 0 ? (rows[to + x - rowBytes] ?? 0) : 0;
      const corner = x >= step && y > 0 ? (rows[to + x - rowBytes - step] ?? 0) : 0;
      let guess = 0;
      if (filter === 1) guess = left;
      else if (filter === 2) guess = up;
      else if (filter === 3) guess = (left + up) >> 1;
      else if (filter === 4) guess = nearest(left, up, corner);
      rows[to + x] = (raw[from + x] ?? 0) + guess;
    }
  }
  return rows;
}

/** Paeth's choice: of the three neighbours the one nearest to left + up - corner. */
function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const toLeft = Math.abs(guess - left);
  const toUp = Math.abs(guess - up);
  const toCorner = Math.abs(guess - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function toRgba(
  rows: Uint8Array,
  { width, height, depth, type }: Header,
  { palette, transparent }: { readonly palette: Buffer; readonly transparent: Buffer },
): Pixels {
  const channels = CHANNELS[type] ?? 1;
  const rowBytes = Math.ceil((width * channels * depth) / 8);
  const most = 2 ** Math.min(depth, 8) - 1;
  /** A sample, of 16 bits the upper eight. */
  const sample = (y: number, index: number): number => {
    const bit = index * depth;
    const byte = rows[y * rowBytes + (bit >> 3)] ?? 0;
    return depth >= 8 ? byte : (byte >> (8 - depth - (bit & 7))) & most;
  };
  const rgba = new Uint8Array(width * height * 4);
  const isColored = type === 2 || type === 6;
  const hasAlpha = type === 4 || type === 6;
  let at = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) {
      const first = x * channels;
      const value = sample(y, first);
      for (let part = 0; part < 3; part += 1) {
        if (type === 3) rgba[at + part] = palette[value * 3 + part] ?? 0;
        else rgba[at + part] = isColored ? sample(y, first + part) : Math.round((value * 255) / most);
      }
      if (type === 3) rgba[at + 3] = transparent[value] ?? 255;
      else rgba[at + 3] = hasAlpha ? sample(y, first + channels - 1) : 255;
    }
  }
  return { width, height, rgba };
}
