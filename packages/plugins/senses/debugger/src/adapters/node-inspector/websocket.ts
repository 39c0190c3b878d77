/** As much of WebSocket as Node's inspector needs, over any wire. The program on the other side may send anything. */
import { createHash, randomBytes } from 'node:crypto';
import type { Wire } from '../../companion/companion.ts';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const [CONTINUATION, TEXT, BINARY, CLOSE, PING] = [0, 1, 2, 8, 9];
const PONG = 10;

/** Frames of a server, put together from pieces that are cut anywhere. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #size = 0;

  /** Gives whole messages and control frames. Throws when what comes is no WebSocket. */
  push(chunk: Buffer): { readonly opcode: number; readonly payload: Buffer }[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const found: { opcode: number; payload: Buffer }[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
      const { opcode, isLast, payload } = frame;
      if (opcode >= CLOSE) {
        found.push({ opcode, payload });
        continue;
      }
      if (opcode !== CONTINUATION && opcode !== TEXT && opcode !== BINARY) throw new Error(`unknown frame ${opcode}`);
      this.#parts.push(payload);
      this.#size += payload.length;
      if (this.#size > MAX_MESSAGE_BYTES) throw new Error('a message is too long');
      if (!isLast) continue;
      found.push({ opcode: TEXT, payload: Buffer.concat(this.#parts) });
      this.#parts = [];
      this.#size = 0;
    }
    return found;
  }

  #next(): { opcode: number; isLast: boolean; payload: Buffer } | undefined {
    const bytes = this.#bytes;
    if (bytes.length < 2) return undefined;
    const [first = 0, second = 0] = bytes;
    if ((second & 0x80) !== 0) throw new Error('a server does not mask its frames');
    const short = second & 0x7f;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length < head) return undefined;
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
    if (length > MAX_MESSAGE_BYTES) throw new Error('a frame is too long');
    if (bytes.length < head + length) return undefined;
    this.#bytes = bytes.subarray(head + length);
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload: bytes.subarray(head, head + length) };
  }
}

/** A frame of a client: masked. */
export function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  const masked = Buffer.from(payload);
  for (let index = 0; index < length; index++) masked[index] = (masked[index] ?? 0) ^ (mask[index & 3] ?? 0);
  return Buffer.concat([head, mask, masked]);
}

/** Messages of text both ways. */
export interface TextSocket {
  send(text: string): void;
  close(): void;
}

/** Shakes hands. Resolves when the server has agreed. */
export function openWebSocket(
  wire: Wire,
  { host, path }: { readonly host: string; readonly path: string },
  listener: { text(text: string): void; end(reason: string): void },
): Promise<TextSocket> {
  const key = randomBytes(16).toString('base64');
  const reader = new FrameReader();
  let header: Buffer | undefined = Buffer.alloc(0) as Buffer;
  let isOver = false;
  return new Promise((resolve, reject) => {
    const finish = (reason: string) => {
      if (isOver) return;
      isOver = true;
      reject(new Error(reason));
      listener.end(reason);
      wire.close();
    };
    const take = (bytes: Buffer) => {
      for (const { opcode, payload } of reader.push(bytes)) {
        if (opcode === TEXT) listener.text(payload.toString('utf8'));
        else if (opcode === PING) wire.write(encodeFrame(PONG, payload));
        else if (opcode === CLOSE) finish('the program has closed the connection');
      }
    };
    wire.onEnd(finish);
    wire.onData((chunk) => {
      if (isOver) return;
      try {
        if (header === undefined) return take(chunk);
        header = Buffer.concat([header, chunk]);
        const end = header.indexOf('\r\n\r\n');
        if (end < 0 && header.length <= MAX_HEADER_BYTES) return;
        const rest = header.subarray(end + 4);
        checkAnswer(header.subarray(0, Math.max(0, end)).toString('latin1'), key);
        header = undefined;
        resolve({
          send: (text) => isOver || wire.write(encodeFrame(TEXT, Buffer.from(text))),
          close: () => finish('it was closed'),
        });
        take(rest);
      } catch (fault) {
        finish(fault instanceof Error ? fault.message : String(fault));
      }
    });
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Key: ${key}`,
      'Sec-WebSocket-Version: 13',
    ];
    wire.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));
  });
}

function checkAnswer(header: string, key: string): void {
  const accept = createHash('sha1').update(`${key}${ACCEPT_SUFFIX}`).digest('base64');
  const given = /^sec-websocket-accept:[ \t]*(\S+)/im.exec(header)?.[1];
  if (!header.startsWith('HTTP/1.1 101 ') || given !== accept) throw new Error('this is not a Node inspector');
}
