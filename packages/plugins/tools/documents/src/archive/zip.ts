/** Zip files: read by their table of contents, changed by copying what stays. */
import { Readable } from 'node:stream';
import { crc32, createInflateRaw, deflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import type { Archive, ArchiveEntry } from '../api.ts';
import { errorCode } from '../error-code.ts';
import { errors } from '../errors.ts';
import { type ByteSource, chunksOf } from './byte-source.ts';
import { safeName } from './names.ts';
import { readDirectory, type ZipRecord } from './zip-directory.ts';

const LOCAL_MARK = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const UTF8 = 0x800;
const LINK_MODE = 0o120000;
const MAX_32 = 0xffff_fffe;

const deflate = promisify(deflateRaw);

/** Opens a zip file; nothing is unpacked yet. */
export async function openZip(source: ByteSource): Promise<Archive> {
  const { records, isCut } = await readDirectory(source);
  const byName = new Map<string, { entry: ArchiveEntry; record: ZipRecord }>();
  let unsafe = 0;
  for (const record of records) {
    const name = safeName(record.writtenName);
    if (name === undefined) {
      unsafe++;
      continue;
    }
    const kind = /[/\\]$/.test(record.writtenName)
      ? 'folder'
      : (record.mode & 0o170000) === LINK_MODE
        ? 'link'
        : 'file';
    byName.set(name, { record, entry: { name, size: record.size, kind, modified: record.modified } });
  }
  const recordOf = new Map([...byName.values()].map(({ entry, record }) => [entry, record]));
  return {
    kind: 'zip',
    entries: [...recordOf.keys()],
    notes: [
      ...(unsafe > 0 ? [`${unsafe} entries with names that lead out of the archive are not shown`] : []),
      ...(isCut ? [`only the first ${records.length} entries are shown`] : []),
    ],
    read(entry, signal) {
      const record = recordOf.get(entry);
      if (!record) throw errors.create('DOCUMENTS_ARCHIVE_ENTRY', { name: entry.name, reason: 'it is not there' });
      return unpack(source, record, entry.name, signal);
    },
    close: () => source.close(),
  };
}

async function* unpack(
  source: ByteSource,
  record: ZipRecord,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const refuse = (reason: string, cause?: unknown) => errors.create('DOCUMENTS_ARCHIVE_ENTRY', { name, reason }, cause);
  if ((record.flags & ENCRYPTED) !== 0) throw refuse('it is encrypted');
  if (record.method !== STORED && record.method !== DEFLATED) {
    throw refuse(`it is packed by method ${record.method}, which is not known here`);
  }
  const local = await source.read(record.offset, LOCAL_BYTES);
  if (local.length < LOCAL_BYTES || local.readUInt32LE(0) !== LOCAL_MARK) throw refuse('its header is damaged');
  const start = record.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  const packed = chunksOf(source, start, start + record.packedSize, signal);
  let bytes = 0;
  let sum = 0;
  try {
    for await (const chunk of record.method === STORED ? packed : inflated(packed, signal)) {
      bytes += chunk.length;
      if (bytes > record.size) throw refuse('there is more in it than the archive says');
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (fault) {
    if (errorCode(fault).startsWith('Z_')) throw refuse('its data is damaged', fault);
    throw fault;
  }
  if (bytes !== record.size || sum !== record.crc) throw refuse('its data is damaged');
}

async function* inflated(packed: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const input = Readable.from(packed, { objectMode: true, highWaterMark: 1 });
  const unpacker = createInflateRaw();
  const fail = (fault: Error) => unpacker.destroy(fault);
  input.once('error', fail).pipe(unpacker);
  const abort = () => unpacker.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    for await (const chunk of unpacker) yield chunk as Buffer;
  } finally {
    signal.removeEventListener('abort', abort);
    input.destroy();
    unpacker.destroy();
  }
}

/** The archive with one entry added or replaced, piece by piece. Entries that stay are copied as they are packed. */
export async function* zipWith(
  source: ByteSource | undefined,
  added: { readonly name: string; readonly content: Uint8Array },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { records, start, comment, isCut } = source
    ? await readDirectory(source)
    : { records: [], start: 0, comment: Buffer.alloc(0), isCut: false };
  const refuse = (reason: string) => errors.create('DOCUMENTS_ARCHIVE_WRITE', { file: 'The archive', reason });
  if (isCut || records.length > 65_000) throw refuse('it has more than 65,000 entries');
  const sorted = [...records].sort((a, b) => a.offset - b.offset);
  const table: Buffer[] = [];
  let at = 0;
  let mode = 0o100644;
  if (source) {
    // Programs that unpack themselves have code in front of the first entry.
    for await (const chunk of chunksOf(source, 0, sorted[0]?.offset ?? start, signal)) {
      at += chunk.length;
      yield chunk;
    }
  }
  for (const [index, record] of sorted.entries()) {
    const end = sorted[index + 1]?.offset ?? start;
    if (end <= record.offset || end > MAX_32 || record.bytes.readUInt32LE(42) !== record.offset) {
      throw refuse('entries overlap or lie beyond 4 GB');
    }
    if (safeName(record.writtenName) === added.name) {
      if (/[/\\]$/.test(record.writtenName)) throw refuse(`"${added.name}" is a folder in it`);
      mode = record.mode === 0 ? mode : record.mode;
      continue;
    }
    const header = Buffer.from(record.bytes);
    header.writeUInt32LE(at, 42);
    table.push(header);
    for await (const chunk of chunksOf(source as ByteSource, record.offset, end, signal)) {
      at += chunk.length;
      yield chunk;
    }
  }
  const entry = await newEntry(added, mode, at);
  yield* entry.pieces;
  at += entry.pieces.reduce((sum, piece) => sum + piece.length, 0);
  table.push(entry.header);
  const tableBytes = Buffer.concat(table);
  if (at + tableBytes.length > MAX_32) throw refuse('it would have more than 4 GB');
  yield tableBytes;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(table.length, 8);
  end.writeUInt16LE(table.length, 10);
  end.writeUInt32LE(tableBytes.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  yield Buffer.concat([end, comment]);
}

async function newEntry(
  { name, content }: { readonly name: string; readonly content: Uint8Array },
  mode: number,
  offset: number,
): Promise<{ readonly pieces: readonly Buffer[]; readonly header: Buffer }> {
  const packed = await deflate(content);
  const isSmaller = packed.length < content.byteLength;
  const data = isSmaller ? packed : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const nameBytes = Buffer.from(name);
  const now = new Date();
  // What both headers share, from "version needed" to the lengths.
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(UTF8, 2);
  shared.writeUInt16LE(isSmaller ? DEFLATED : STORED, 4);
  shared.writeUInt16LE((now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1), 6);
  shared.writeUInt16LE(((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate(), 8);
  shared.writeUInt32LE(crc32(content), 10);
  shared.writeUInt32LE(data.length, 14);
  shared.writeUInt32LE(content.byteLength, 18);
  shared.writeUInt16LE(nameBytes.length, 22);
  const local = Buffer.from([0x50, 0x4b, 3, 4]);
  const made = Buffer.from([0x50, 0x4b, 1, 2, 20, 3]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE((mode << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  return { pieces: [local, shared, nameBytes, data], header: Buffer.concat([made, shared, rest, nameBytes]) };
}
