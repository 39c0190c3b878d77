/** Finds the mark that ends a cell's text in a stream of bytes, however the stream is cut. */

const SEPARATOR = 0x1e;
const MOST_DIGITS = 20;

/** A piece of a stream: text, or a mark that was found. */
export type StreamPart = { readonly text: Buffer } | { readonly mark: string };

/** Reads one kernel's stream. `secret` is what makes its marks different from anything that a cell prints by chance. */
export class MarkedStream {
  readonly #start: Buffer;
  #rest: Buffer = Buffer.alloc(0);

  constructor(secret: string) {
    this.#start = Buffer.from(`\x1e${secret}:`);
  }

  /** What a chunk brings, in order. */
  push(chunk: Buffer): StreamPart[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const parts: StreamPart[] = [];
    let taken = 0;
    const take = (end: number) => {
      if (end > taken) parts.push({ text: bytes.subarray(taken, end) });
      taken = end;
    };
    let at = bytes.indexOf(this.#start);
    for (; at >= 0; at = bytes.indexOf(this.#start, at)) {
      const from = at + this.#start.length;
      let end = from;
      while (end < bytes.length && end - from < MOST_DIGITS && isDigit(bytes[end])) end++;
      // It may go on in the next chunk.
      if (end === bytes.length && end - from < MOST_DIGITS) break;
      if (bytes[end] === SEPARATOR && end > from) {
        take(at);
        parts.push({ mark: bytes.toString('latin1', from, end) });
        taken = end + 1;
        at = taken;
      } else at++;
    }
    take(at >= 0 ? at : this.#possibleStart(bytes, taken));
    this.#rest = Buffer.from(bytes.subarray(taken));
    return parts;
  }

  /** What is left when the stream has ended. */
  end(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest;
  }

  /** Where the bytes end in what may become a mark, else their end. */
  #possibleStart(bytes: Buffer, from: number): number {
    for (let at = Math.max(from, bytes.length - this.#start.length + 1); at < bytes.length; at++) {
      if (bytes.subarray(at).equals(this.#start.subarray(0, bytes.length - at))) return at;
    }
    return bytes.length;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
