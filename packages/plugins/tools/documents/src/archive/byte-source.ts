/** Bytes that can be read from any place: a file, or a piece of memory. */
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;

/** Bytes that can be read from any place. */
export interface ByteSource {
  readonly size: number;
  /** Up to `length` bytes; fewer at the end. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** A file; pipes and devices must have been turned away before. */
export async function fileSource(path: string): Promise<ByteSource> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return {
      size,
      async read(position, length) {
        const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - position)));
        let filled = 0;
        while (filled < buffer.length) {
          const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return buffer.subarray(0, filled);
      },
      close: () => file.close(),
    };
  } catch (fault) {
    await file.close();
    throw fault;
  }
}

/** Bytes in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    read: async (position, length) => buffer.subarray(position, position + length),
    close: async () => undefined,
  };
}

/** The bytes from `start` up to `end`, piece by piece. */
export async function* chunksOf(
  source: ByteSource,
  start: number,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    signal.throwIfAborted();
    const chunk = await source.read(at, Math.min(CHUNK_BYTES, end - at));
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}
