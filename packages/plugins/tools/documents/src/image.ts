/** Images made fit for a conversation: upright, and small enough for every model. */
import type * as Sharp from 'sharp';
import type { DocumentImage } from './api.ts';
import { errors } from './errors.ts';
import { isHelperError, startHelper } from './helper-process.ts';

/** The library's own type keeps the package's version and this program together. */
type Metadata = Pick<Sharp.Metadata, 'format' | 'width' | 'height' | 'orientation' | 'pages'>;

/** Files above this are not images for a conversation. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Every model takes this; larger images are made smaller by the provider anyway, and cost more. */
const LIMITS = { maxSide: 1568, maxBytes: 500 * 1024, maxPixels: 100_000_000, minSide: 100 };
/** Images within a quarter of the bytes stay as they are. */
const KEPT_BYTES = LIMITS.maxBytes / 4;
const KEPT_FORMATS = ['png', 'jpeg', 'gif', 'webp'];

const PROGRAM = `
const sharp = require(library);
sharp.cache(false);
const SCALES = [1, 0.75, 0.5, 0.35, 0.25], QUALITIES = [75, 70, 60, 50, 40];
handle = async ({ bytes, limits, kept, keptFormats }) => {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = () => sharp(input, { limitInputPixels: limits.maxPixels, failOn: 'error' });
  const meta = await read().metadata();
  const about = { format: meta.format, width: meta.width, height: meta.height, orientation: meta.orientation, pages: meta.pages };
  const isSmall = Math.max(meta.width, meta.height) <= limits.maxSide && input.length <= kept;
  if (isSmall && keptFormats.includes(meta.format) && (meta.orientation ?? 1) === 1) {
    // Decoded once: a damaged image in a conversation would make every later request fail.
    await read().stats();
    return { about, kept: true, width: meta.width, height: meta.height };
  }
  const upright = await read().rotate().resize(limits.maxSide, limits.maxSide, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const { info } = upright;
  const pixels = () => sharp(upright.data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const scaled = (scale) => pixels().resize(Math.max(1, Math.round(info.width * scale)), Math.max(1, Math.round(info.height * scale)));
  const encode = async (scale, quality, withPng) => {
    const jobs = [
      scaled(scale).flatten({ background: '#ffffff' }).jpeg({ quality, mozjpeg: true }),
      scaled(scale).webp({ quality }),
      ...(withPng ? [scaled(scale).png({ compressionLevel: 9, palette: false })] : []),
    ];
    const made = await Promise.all(jobs.map((job) => job.toBuffer({ resolveWithObject: true })));
    return made.sort((a, b) => a.data.length - b.data.length)[0];
  };
  let best;
  for (const scale of SCALES) {
    if (scale < 1 && Math.min(info.width, info.height) * scale < limits.minSide) break;
    for (const quality of QUALITIES) {
      best = await encode(scale, quality, scale === 1 && quality === QUALITIES[0]);
      if (best.data.length <= limits.maxBytes) return answer();
    }
  }
  return answer();
  function answer() {
    return { about, data: new Uint8Array(best.data), format: best.info.format, width: best.info.width, height: best.info.height };
  }
};
`;

type Answer = {
  readonly about: Metadata;
  readonly kept?: boolean;
  readonly data?: Uint8Array;
  readonly format?: string;
  readonly width: number;
  readonly height: number;
};

/** Checks an image and makes it smaller and upright where that is needed. */
export async function fitImage(bytes: Uint8Array, signal: AbortSignal): Promise<DocumentImage> {
  if (bytes.byteLength > MAX_IMAGE_BYTES) {
    throw errors.create('DOCUMENTS_TOO_LARGE', { name: 'The image', reason: 'the limit is 20 MB' });
  }
  const helper = await startHelper({
    what: 'Reading the image',
    program: PROGRAM,
    library: 'sharp',
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  try {
    const request = { bytes, limits: LIMITS, kept: KEPT_BYTES, keptFormats: KEPT_FORMATS };
    return described(bytes, await helper.ask<Answer>(request));
  } catch (fault) {
    if (!isHelperError(fault)) throw fault;
    const reason = fault.message.replace(/^Input buffer /, 'it ').replace(/[.\n].*$/s, '');
    throw errors.create('DOCUMENTS_IMAGE', { reason }, fault);
  } finally {
    helper.close();
  }
}

function described(bytes: Uint8Array, { about, kept, data, format, width, height }: Answer): DocumentImage {
  const isTurned = (about.orientation ?? 1) !== 1;
  // The first four orientations keep the sides, the others exchange them.
  const [from, to] = (about.orientation ?? 1) > 4 ? [about.height, about.width] : [about.width, about.height];
  const factor = width > 0 ? from / width : 1;
  const notes = [
    ...(isTurned ? ['turned upright'] : []),
    ...(factor > 1.001
      ? [`shown at ${width}x${height} of ${from}x${to}: multiply coordinates by ${factor.toFixed(2)}`]
      : []),
    ...((about.pages ?? 1) > 1 ? [`the first of ${about.pages} frames${kept ? ' may be all a model sees' : ''}`] : []),
  ];
  const content = data ?? bytes;
  return {
    data: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64'),
    mimeType: `image/${format ?? about.format}`,
    width,
    height,
    notes,
  };
}
