import { crc32 } from 'node:zlib';

/** A message of AWS's binary event stream. */
export interface EventStreamMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const PRELUDE = 8;
const CRC = 4;
const STRING = 7;

/** Encodes one message: lengths and their checksum, headers, body, checksum of the whole. */
export function encodeEventStreamMessage({ headers, body }: EventStreamMessage): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const field = Buffer.alloc(1 + Buffer.byteLength(name) + 3 + Buffer.byteLength(value));
      let at = field.writeUInt8(Buffer.byteLength(name));
      at += field.write(name, at);
      at = field.writeUInt8(STRING, at);
      at = field.writeUInt16BE(Buffer.byteLength(value), at);
      field.write(value, at);
      return field;
    }),
  );
  const message = Buffer.alloc(PRELUDE + CRC + head.length + body.length + CRC);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, PRELUDE)), PRELUDE);
  head.copy(message, PRELUDE + CRC);
  body.copy(message, PRELUDE + CRC + head.length);
  message.writeUInt32BE(crc32(message.subarray(0, -CRC)), message.length - CRC);
  return message;
}

/** Decodes whole messages; throws on a wrong checksum. */
export function decodeEventStream(bytes: Buffer): EventStreamMessage[] {
  const messages: EventStreamMessage[] = [];
  for (let at = 0; at + PRELUDE + 2 * CRC <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const message = bytes.subarray(at, at + length);
    if (crc32(message.subarray(0, PRELUDE)) !== message.readUInt32BE(PRELUDE))
      throw new Error('wrong prelude checksum');
    if (crc32(message.subarray(0, -CRC)) !== message.readUInt32BE(length - CRC)) throw new Error('wrong checksum');
    const headLength = message.readUInt32BE(4);
    const headers: Record<string, string> = {};
    const headEnd = PRELUDE + CRC + headLength;
    for (let field = PRELUDE + CRC; field < headEnd;) {
      const nameLength = message.readUInt8(field);
      const name = message.toString('utf8', field + 1, field + 1 + nameLength);
      const valueAt = field + 1 + nameLength + 1;
      const valueLength = message.readUInt16BE(valueAt);
      headers[name] = message.toString('utf8', valueAt + 2, valueAt + 2 + valueLength);
      field = valueAt + 2 + valueLength;
    }
    messages.push({ headers, body: Buffer.from(message.subarray(headEnd, length - CRC)) });
    at += length;
  }
  return messages;
}
