/**
 * The JavaScript twin, over jimp: pure JavaScript, so hostile bytes meet no C code. It decodes no WebP; such a picture passes when it
 * fits as it is. The library is loaded when the first picture must be decoded.
 */
import { linkLimits } from '../task.ts';
import { FIT_DEFAULTS, type FitOptions, type FittedImage, type ImageResult, type Images } from './contract.ts';
import { readHeader } from './js-header.ts';

const TAKEN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const PHOTOS = new Set(['image/jpeg', 'image/tiff']);
const LARGE_PNG = 1_000_000;
const QUALITIES = [85, 70, 55, 40];
const MOST_ROUNDS = 10;
const WHITE = 0xff_ff_ff_ff;

const UNKNOWN = {
  ok: false as const,
  reason: 'it is not a picture in a format that Tenon can read (PNG, JPEG, GIF, WebP, BMP, TIFF)',
};

/** Makes the JavaScript implementation. */
export function createJs(): Images {
  return {
    async facts(bytes) {
      const header = readHeader(bytes);
      if (header === undefined) return UNKNOWN;
      const { mimeType, width, height, isTurned } = header;
      return { ok: true, value: { mimeType, width, height, isTurned } };
    },
    async fit(bytes, options = {}) {
      const linked = linkLimits(options);
      try {
        return await fit(bytes, options, linked.signal);
      } finally {
        linked.dispose();
      }
    },
  };
}

async function fit(bytes: Uint8Array, options: FitOptions, signal: AbortSignal): Promise<ImageResult<FittedImage>> {
  signal.throwIfAborted();
  const { maxSide = FIT_DEFAULTS.maxSide, maxBytes = FIT_DEFAULTS.maxBytes } = options;
  const maxPixels = options.maxPixels ?? FIT_DEFAULTS.maxPixels;
  const header = readHeader(bytes);
  if (header === undefined) return UNKNOWN;
  const { mimeType, width, height, isTurned } = header;
  if (width * height > maxPixels || width === 0 || height === 0) {
    const reason = `it has ${width}x${height} pixels, more than the ${maxPixels} that are decoded; shrink it or cut a part out`;
    return { ok: false, reason };
  }
  const original = { originalWidth: width, originalHeight: height };
  const fits = Math.max(width, height) <= maxSide && bytes.byteLength <= maxBytes;
  if (fits && !isTurned && TAKEN.has(mimeType)) return { ok: true, value: { mimeType, width, height, ...original } };
  if (mimeType === 'image/webp') {
    return {
      ok: false,
      reason: 'WebP is only decoded by the native addon (see `tenon doctor accelerators`); convert it to PNG',
    };
  }
  const picture = await decode(bytes);
  if (typeof picture === 'string') return { ok: false, reason: picture };
  const isOpaque = isAllOpaque(picture.bitmap.data);
  const asPhoto = PHOTOS.has(mimeType) && isOpaque;
  let side = Math.min(Math.max(picture.width, picture.height), Math.max(1, Math.floor(maxSide)));
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    signal.throwIfAborted();
    const small = picture.clone();
    const [w, h] = sides(small.width, small.height, side);
    if (w !== small.width || h !== small.height) small.resize({ w, h });
    const made = await encode(small, asPhoto, isOpaque, maxBytes);
    if (made) return { ok: true, value: { ...made, width: small.width, height: small.height, ...original } };
    side = Math.max(1, Math.floor((side * 3) / 4));
  }
  return { ok: false, reason: `it does not fit into ${maxBytes} bytes; allow more, or cut a part out` };
}

type Picture = Awaited<ReturnType<(typeof import('./js-library.ts'))['Jimp']['read']>>;

/** The pixels, turned upright as the EXIF says; or why not. */
async function decode(bytes: Uint8Array): Promise<Picture | string> {
  const { Jimp } = await import('./js-library.ts');
  try {
    return (await Jimp.fromBuffer(Buffer.from(bytes))) as Picture;
  } catch (error) {
    const text = (error instanceof Error ? error.message : String(error)).replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200);
    return `it cannot be decoded: ${text}; convert it with another program`;
  }
}

async function encode(
  picture: Picture,
  asPhoto: boolean,
  isOpaque: boolean,
  most: number,
): Promise<{ bytes: Uint8Array; mimeType: string } | undefined> {
  let best: { bytes: Uint8Array; mimeType: string } | undefined;
  if (!asPhoto) {
    const png = await picture.getBuffer('image/png', isOpaque ? { colorType: 2 } : {});
    if (png.length <= most) best = { bytes: png, mimeType: 'image/png' };
    if (best && (png.length <= LARGE_PNG || !isOpaque)) return best;
  }
  const flat = isOpaque ? picture : await flattened(picture);
  for (const quality of QUALITIES) {
    const jpeg = await flat.getBuffer('image/jpeg', { quality });
    if (jpeg.length <= most)
      return best && best.bytes.length <= jpeg.length ? best : { bytes: jpeg, mimeType: 'image/jpeg' };
    if (best) return best;
  }
  return undefined;
}

/** Without transparency: over white, as a page would show it. */
async function flattened(picture: Picture): Promise<Picture> {
  const { Jimp } = await import('./js-library.ts');
  const page = new Jimp({ width: picture.width, height: picture.height, color: WHITE });
  return page.composite(picture) as unknown as Picture;
}

function isAllOpaque(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return false;
  return true;
}

/** The sides with the longer one cut to `side`; neither becomes nothing. */
function sides(width: number, height: number, side: number): [number, number] {
  const longest = Math.max(width, height);
  if (longest <= side) return [width, height];
  const scaled = (length: number) => Math.max(1, Math.floor((length * side * 2 + longest) / (longest * 2)));
  return [scaled(width), scaled(height)];
}
