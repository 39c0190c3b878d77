/** Reads and unpacks the body of an answer, and stops when there is too much of it: a small packed body can be huge. */
import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** What was read. */
export interface Body {
  readonly bytes: Buffer;
  /** True when there was more. */
  readonly isCut: boolean;
}

/** No honest server packs twice; each layer multiplies what a bomb can unpack to. */
const MAX_LAYERS = 2;

/** The encodings that are asked for. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** Reads at most `maxBytes` after unpacking. Rejects for encodings that nobody asked for and for broken ones. */
export async function readBody(source: Readable, encoding: string, maxBytes: number): Promise<Body> {
  const layers = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .reverse();
  if (layers.length > MAX_LAYERS) {
    source.destroy();
    throw new UnpackError(`it is packed ${layers.length} times`);
  }
  let stream = source;
  for (const layer of layers) {
    const unpack = decoderFor(layer);
    if (!unpack) {
      source.destroy();
      throw new UnpackError(`"${layer}" is not a known encoding`);
    }
    // A failure reaches the reader below through the last stream; there is nothing to do here.
    pipeline(stream, unpack, () => undefined);
    stream = unpack;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (fault) {
    if (isZlibFault(fault)) throw new UnpackError(fault.message);
    throw fault;
  } finally {
    source.destroy();
    stream.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}

/** The body does not fit its encoding. */
export class UnpackError extends Error {}

function decoderFor(name: string): Transform | undefined {
  // A body that was cut off in transfer still shows what came.
  const finishFlush = constants.Z_SYNC_FLUSH;
  if (name === 'gzip' || name === 'x-gzip') return createGunzip({ finishFlush });
  if (name === 'deflate') return createInflate({ finishFlush });
  return name === 'br' ? createBrotliDecompress() : undefined;
}

function isZlibFault(fault: unknown): fault is Error {
  const { code = '' } = fault as NodeJS.ErrnoException;
  return /^(?:Z_|ERR__ERROR_|ERR_BROTLI|BROTLI)/.test(code) || /brotli|Decompression/i.test((fault as Error).message);
}
