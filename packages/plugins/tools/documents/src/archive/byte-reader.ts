/** Reads bytes one after another, from a source that can jump or from a stream that cannot. */
import type { ByteSource } from './byte-source.ts';

/** Reads forward. */
export interface ByteReader {
  /** Up to `length` bytes; fewer at the end. For headers: the result is held in memory. */
  take(length: number): Promise<Buffer>;
  /** Goes past bytes and gives them in pieces, for whoever wants to copy them. */
  pass(length: number): AsyncIterable<Buffer>;
  /** Goes past bytes without looking at them. */
  skip(length: number): Promise<void>;
  readonly position: number;
  close(): Promise<void>;
}

/** Over a source that can jump, skipping costs nothing. */
export function readerOf(source: ByteSource): ByteReader {
  let position = 0;
  const step = 256 * 1024;
  return {
    async take(length) {
      const bytes = await source.read(position, length);
      position += bytes.length;
      return bytes;
    },
    async *pass(length) {
      for (let left = length; left > 0;) {
        const bytes = await source.read(position, Math.min(left, step));
        if (bytes.length === 0) return;
        position += bytes.length;
        left -= bytes.length;
        yield bytes;
      }
    },
    async skip(length) {
      position += length;
    },
    get position() {
      return position;
    },
    close: async () => undefined,
  };
}

/** Over a stream. */
export function streamReader(chunks: AsyncIterable<Buffer>): ByteReader {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let position = 0;
  const more = async (): Promise<boolean> => {
    const { value, done } = await iterator.next();
    if (done === true) return false;
    held = held.length > 0 ? Buffer.concat([held, value]) : value;
    return true;
  };
  const cut = (length: number): Buffer => {
    const bytes = held.subarray(0, length);
    held = held.subarray(bytes.length);
    position += bytes.length;
    return bytes;
  };
  const reader: ByteReader = {
    async take(length) {
      while (held.length < length && (await more()));
      return cut(length);
    },
    async *pass(length) {
      for (let left = length; left > 0;) {
        if (held.length === 0 && !(await more())) return;
        const bytes = cut(left);
        left -= bytes.length;
        yield bytes;
      }
    },
    async skip(length) {
      for await (const _ of reader.pass(length));
    },
    get position() {
      return position;
    },
    close: async () => void (await iterator.return?.()),
  };
  return reader;
}
