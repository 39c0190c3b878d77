/** The frames of DAP: a header with the length of the JSON that follows. The other side may send anything at all. */
import { errors } from '../errors.ts';

/** No adapter sends longer messages; memory dumps are asked for in pieces. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const MAX_HEADER_BYTES = 4 * 1024;
const SEPARATOR = Buffer.from('\r\n\r\n');

/** A message as bytes. */
export function encodeMessage(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Puts messages together from pieces that are cut anywhere. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** How long the message is that has begun. */
  #wanted: number | undefined;

  /** Takes in a piece; gives the messages that it completes. Throws `DEBUG_BAD_MESSAGE`, and cannot go on after that. */
  push(chunk: Uint8Array): unknown[] {
    this.#chunks.push(Buffer.from(chunk));
    this.#size += chunk.length;
    const messages: unknown[] = [];
    for (;;) {
      if (this.#wanted === undefined) this.#wanted = this.#takeHeader();
      if (this.#wanted === undefined || this.#size < this.#wanted) return messages;
      messages.push(parseBody(this.#take(this.#wanted)));
      this.#wanted = undefined;
    }
  }

  #takeHeader(): number | undefined {
    if (this.#size === 0) return undefined;
    const bytes = this.#joined();
    const end = bytes.indexOf(SEPARATOR);
    if (end > MAX_HEADER_BYTES || (end < 0 && bytes.length > MAX_HEADER_BYTES + SEPARATOR.length))
      throw badMessage('its header is too long', bytes);
    // What cannot become a header is told at once: the first words of a program that is no adapter.
    if (end < 0) {
      if (!/^[\w-]*(?::|$)/.test(bytes.subarray(0, 64).toString('latin1')))
        throw badMessage('it does not start with a header', bytes);
      return undefined;
    }
    const header = this.#take(end + SEPARATOR.length).toString('latin1');
    const length = /^content-length:[ \t]*(\d{1,10})[ \t]*$/im.exec(header)?.[1];
    if (length === undefined) throw badMessage('its header has no Content-Length', bytes);
    if (Number(length) > MAX_MESSAGE_BYTES) throw badMessage(`it is ${length} bytes long`, bytes);
    return Number(length);
  }

  #joined(): Buffer {
    const [first, ...more] = this.#chunks;
    if (first !== undefined && more.length === 0) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }

  #take(length: number): Buffer {
    const bytes = this.#joined();
    this.#chunks = bytes.length > length ? [bytes.subarray(length)] : [];
    this.#size -= length;
    return bytes.subarray(0, length);
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw badMessage('its body is not JSON', body);
  }
}

function badMessage(reason: string, bytes: Buffer) {
  const start = bytes.subarray(0, 80).toString('utf8');
  return errors.create('DEBUG_BAD_MESSAGE', { reason: `${reason} (${JSON.stringify(start)})` });
}
