/** Looks at the frames of a server before the protocol library does: that one would collect whatever a header promises. */
import { Transform, type TransformCallback } from 'node:stream';

/** The longest message that is taken in. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 4 * 1024;
/** More messages than this in a window mean that a server has gone wild. */
const MAX_MESSAGES = 200_000;
const WINDOW_MS = 10_000;
const HEADER_END = Buffer.from('\r\n\r\n');

/** Passes valid frames on as they are; anything else ends the stream with an error that says what is wrong. */
export class FrameGuard extends Transform {
  readonly #maxBytes: number;
  #header: Buffer = Buffer.alloc(0);
  #left = 0;
  #count = 0;
  #since = Date.now();

  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    super();
    this.#maxBytes = maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    try {
      this.#take(chunk);
      done();
    } catch (fault) {
      done(fault as Error);
    }
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left > 0) {
        const part = rest.subarray(0, this.#left);
        this.#left -= part.length;
        this.push(part);
        rest = rest.subarray(part.length);
        continue;
      }
      const seen = this.#header.length;
      const header = Buffer.concat([this.#header, rest.subarray(0, MAX_HEADER_BYTES)]);
      const end = header.indexOf(HEADER_END);
      if (end < 0) {
        if (header.length >= MAX_HEADER_BYTES || !isHeaderStart(header)) throw notAProtocol(header);
        this.#header = header;
        return;
      }
      this.#left = this.#lengthIn(header.subarray(0, end).toString('latin1'));
      const bytes = end + HEADER_END.length;
      this.push(header.subarray(0, bytes));
      this.#header = Buffer.alloc(0);
      rest = rest.subarray(bytes - seen);
    }
  }

  #lengthIn(header: string): number {
    const length = /^content-length:\s*(\d{1,15})\s*$/im.exec(header)?.[1];
    if (length === undefined) throw notAProtocol(Buffer.from(header));
    if (Number(length) > this.#maxBytes) throw new Error(`it wants to send a message of ${length} bytes`);
    const now = Date.now();
    if (now - this.#since > WINDOW_MS) [this.#since, this.#count] = [now, 0];
    if (++this.#count > MAX_MESSAGES) throw new Error('it sends messages without end');
    return Number(length);
  }
}

/** Whether the bytes can still become a header: servers that print a greeting never come to one. */
function isHeaderStart(bytes: Buffer): boolean {
  return /^[\x20-\x7e\r\n\t]*$/.test(bytes.toString('latin1'));
}

function notAProtocol(bytes: Buffer): Error {
  const start = bytes
    .subarray(0, 60)
    .toString('latin1')
    .replace(/[^\x20-\x7e]+/g, ' ');
  return new Error(`it writes something else than the protocol: ${start}`);
}
