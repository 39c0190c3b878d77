/** Goes through a tar file: one item per entry, with the header blocks that belong to it. */
import type { ArchiveEntry } from '../api.ts';
import { errors } from '../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import { safeName } from './names.ts';

/** Tar files are made of these. */
export const BLOCK = 512;
/** A name or a set of attributes; more is an attack. */
const MAX_META_BYTES = 1024 * 1024;

/** One entry of a tar file. The reader stands at its data. */
export interface TarItem {
  /** Undefined when its name leads out of the archive. */
  readonly entry: ArchiveEntry | undefined;
  readonly mode: number;
  /** The header, and long names and attributes in front of it. */
  readonly headers: readonly Buffer[];
  /** Without padding. */
  readonly dataBytes: number;
  readonly dataStart: number;
}

/** Gives item after item; whoever takes them may read the data, what is left of it is passed over. */
export async function* tarItems(reader: ByteReader, signal: AbortSignal): AsyncGenerator<TarItem> {
  let before: Buffer[] = [];
  let attributes: Record<string, string> = {};
  for (;;) {
    signal.throwIfAborted();
    const header = await reader.take(BLOCK);
    // Two empty blocks end the archive; one, or the end of the file, is taken for it too.
    if (header.length < BLOCK || header.every((byte) => byte === 0)) return;
    const size = numberAt(header, 124, 12);
    const type = String.fromCharCode(header[156] ?? 0);
    if (!Number.isSafeInteger(size) || size < 0)
      throw errors.create('DOCUMENTS_ARCHIVE', { reason: 'a header is damaged' });
    if (/[LKxg]/.test(type)) {
      if (size > MAX_META_BYTES) throw errors.create('DOCUMENTS_ARCHIVE', { reason: 'a name has more than 1 MB' });
      const data = await reader.take(padded(size));
      before.push(header, data);
      const content = data.subarray(0, size);
      if (type === 'L') attributes['path'] = textUntilZero(content);
      if (type === 'x') attributes = { ...attributes, ...paxAttributes(content) };
      continue;
    }
    const dataBytes = attributes['size'] === undefined ? size : Number(attributes['size']);
    const hasData = !/[1-6]/.test(type);
    const dataStart = reader.position;
    const name = attributes['path'] ?? headerName(header);
    yield {
      entry: entryOf(name, type, hasData ? dataBytes : 0, header),
      mode: numberAt(header, 100, 8),
      headers: [...before, header],
      dataBytes: hasData ? dataBytes : 0,
      dataStart,
    };
    await reader.skip(dataStart + padded(hasData ? dataBytes : 0) - reader.position);
    before = [];
    attributes = {};
  }
}

/** The bytes that data takes with its padding. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

function entryOf(written: string, type: string, size: number, header: Buffer): ArchiveEntry | undefined {
  const name = safeName(written);
  if (name === undefined) return undefined;
  const kind = type === '5' || written.endsWith('/') ? 'folder' : /[1-4,6]/.test(type) ? 'link' : 'file';
  return { name, size, kind, modified: new Date(numberAt(header, 136, 12) * 1000) };
}

function headerName(header: Buffer): string {
  const name = textUntilZero(header.subarray(0, 100));
  const isPosix = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textUntilZero(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textUntilZero(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** Octal digits, or big-endian bytes when the first bit is set. */
function numberAt(header: Buffer, at: number, length: number): number {
  if (((header[at] ?? 0) & 0x80) !== 0) return Number(header.readBigUInt64BE(at + length - 8));
  const digits = header
    .toString('latin1', at, at + length)
    .replaceAll('\0', ' ')
    .trim();
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** Lines of `LENGTH KEY=VALUE`. */
function paxAttributes(content: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < content.length;) {
    const blank = content.indexOf(32, at);
    const length = Number(content.toString('latin1', at, blank));
    if (blank < 0 || !Number.isInteger(length) || length < 1) break;
    const [, key, value] = /^([^=]+)=([^]*)\n$/.exec(content.toString('utf8', blank + 1, at + length)) ?? [];
    if (key === 'path' || key === 'size') records[key] = value ?? '';
    at += length;
  }
  return records;
}
