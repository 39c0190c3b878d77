/** Tar files, packed with gzip or not. */
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Archive, ArchiveEntry } from '../api.ts';
import { errorCode } from '../error-code.ts';
import { errors } from '../errors.ts';
import { type ByteReader, readerOf, streamReader } from './byte-reader.ts';
import { type ByteSource, chunksOf } from './byte-source.ts';
import { BLOCK, padded, tarItems } from './tar-items.ts';

const MAX_ENTRIES = 200_000;
/** A packed archive has to be unpacked to be listed; more than this is a bomb, or nothing to do on the side. */
const MAX_UNPACKED = 4 * 1024 ** 3;

/** Opens a tar file. A packed one is gone through once for the list and once more for each entry that is read. */
export async function openTar(source: ByteSource, isPacked: boolean, signal: AbortSignal): Promise<Archive> {
  const places = new Map<string, { entry: ArchiveEntry; start: number }>();
  let unsafe = 0;
  let stopped = '';
  const reader = isPacked ? unpackedReader(source, signal) : readerOf(source);
  try {
    for await (const { entry, dataStart } of tarItems(reader, signal)) {
      if (entry) {
        // The last of several wins, and takes the last place.
        places.delete(entry.name);
        places.set(entry.name, { entry, start: dataStart });
      } else unsafe++;
      if (places.size >= MAX_ENTRIES) stopped = `only the first ${MAX_ENTRIES} entries are shown`;
      if (reader.position > MAX_UNPACKED && isPacked)
        stopped = 'only the first 4 GB of its content were looked through';
      if (stopped !== '') break;
    }
  } catch (fault) {
    throw explain(fault);
  } finally {
    await reader.close();
  }
  const starts = new Map([...places.values()].map(({ entry, start }) => [entry, start]));
  return {
    kind: isPacked ? 'tgz' : 'tar',
    entries: [...starts.keys()],
    notes: [
      ...(unsafe > 0 ? [`${unsafe} entries with names that lead out of the archive are not shown`] : []),
      ...(stopped === '' ? [] : [stopped]),
    ],
    async *read(entry, readSignal) {
      const start = starts.get(entry);
      if (start === undefined) {
        throw errors.create('DOCUMENTS_ARCHIVE_ENTRY', { name: entry.name, reason: 'it is not there' });
      }
      const again = isPacked ? unpackedReader(source, readSignal) : readerOf(source);
      try {
        await again.skip(start);
        let bytes = 0;
        for await (const chunk of again.pass(entry.size)) {
          readSignal.throwIfAborted();
          bytes += chunk.length;
          yield chunk;
        }
        if (bytes < entry.size) {
          throw errors.create('DOCUMENTS_ARCHIVE_ENTRY', { name: entry.name, reason: 'the archive is cut off' });
        }
      } catch (fault) {
        throw explain(fault);
      } finally {
        await again.close();
      }
    },
    close: () => source.close(),
  };
}

/** A single packed file, shown as an archive of one. */
export async function openGzip(source: ByteSource, name: string): Promise<Archive> {
  const tail = await source.read(Math.max(0, source.size - 4), 4);
  const size = tail.length === 4 ? tail.readUInt32LE(0) : 0;
  return {
    kind: 'gz',
    entries: [{ name, size, kind: 'file' }],
    notes: [],
    async *read(_entry, signal) {
      try {
        yield* gunzipped(source, signal);
      } catch (fault) {
        throw explain(fault);
      }
    },
    close: () => source.close(),
  };
}

/** The first bytes of what is packed. */
export async function gunzippedHead(source: ByteSource, signal: AbortSignal): Promise<Buffer> {
  const reader = unpackedReader(source, signal);
  try {
    return await reader.take(BLOCK);
  } catch (fault) {
    throw explain(fault);
  } finally {
    await reader.close();
  }
}

function explain(fault: unknown): unknown {
  const isBroken = errorCode(fault).startsWith('Z_');
  return isBroken ? errors.create('DOCUMENTS_ARCHIVE', { reason: 'its data is damaged or cut off' }, fault) : fault;
}

function unpackedReader(source: ByteSource, signal: AbortSignal): ByteReader {
  return streamReader(gunzipped(source, signal));
}

async function* gunzipped(source: ByteSource, signal: AbortSignal): AsyncGenerator<Buffer> {
  const input = Readable.from(chunksOf(source, 0, source.size, signal), { objectMode: true, highWaterMark: 1 });
  const unpacker = createGunzip();
  input.once('error', (fault) => unpacker.destroy(fault)).pipe(unpacker);
  try {
    for await (const chunk of unpacker) yield chunk as Buffer;
  } finally {
    input.destroy();
    unpacker.destroy();
  }
}

/** The archive with one entry added or replaced, piece by piece. */
export async function* tarWith(
  source: ByteSource | undefined,
  isPacked: boolean,
  added: { readonly name: string; readonly content: Uint8Array },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const plain = plainTarWith(source, isPacked, added, signal);
  if (!isPacked) return yield* plain;
  const packer = createGzip();
  Readable.from(plain, { objectMode: true, highWaterMark: 1 })
    .once('error', (fault) => packer.destroy(fault))
    .pipe(packer);
  for await (const chunk of packer) yield chunk as Buffer;
}

async function* plainTarWith(
  source: ByteSource | undefined,
  isPacked: boolean,
  { name, content }: { readonly name: string; readonly content: Uint8Array },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let mode = 0o644;
  if (source) {
    const reader = isPacked ? unpackedReader(source, signal) : readerOf(source);
    try {
      for await (const item of tarItems(reader, signal)) {
        if (item.entry?.name === name) {
          if (item.entry.kind === 'folder') {
            const reason = `"${name}" is a folder in it`;
            throw errors.create('DOCUMENTS_ARCHIVE_WRITE', { file: 'The archive', reason });
          }
          mode = item.mode & 0o7777;
          continue;
        }
        yield* item.headers;
        let bytes = 0;
        for await (const chunk of reader.pass(padded(item.dataBytes))) {
          bytes += chunk.length;
          yield chunk;
        }
        if (bytes < item.dataBytes) throw errors.create('DOCUMENTS_ARCHIVE', { reason: 'it is cut off' });
        // The last entry of a careless program lacks its padding.
        if (bytes < padded(item.dataBytes)) yield Buffer.alloc(padded(item.dataBytes) - bytes);
      }
    } finally {
      await reader.close();
    }
  }
  yield* newHeaders(name, content.byteLength, mode);
  yield Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  yield Buffer.alloc(padded(content.byteLength) - content.byteLength + 2 * BLOCK);
}

function newHeaders(name: string, size: number, mode: number): Buffer[] {
  if (Buffer.byteLength(name) <= 100) return [header(name, size, mode, '0')];
  // LENGTH counts itself.
  const line = ` path=${name}\n`;
  let length = Buffer.byteLength(line);
  while (Buffer.byteLength(`${length}${line}`) !== length) length = Buffer.byteLength(`${length}${line}`);
  const attributes = Buffer.from(`${length}${line}`);
  const block = Buffer.alloc(padded(attributes.length));
  attributes.copy(block);
  const short = Buffer.from(name)
    .subarray(-100)
    .toString('latin1')
    .replaceAll(/[^ -~]/g, '_');
  return [header('pax-attributes', attributes.length, 0o644, 'x'), block, header(short, size, mode, '0')];
}

function header(name: string, size: number, mode: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(name, 0, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.floor(Date.now() / 1000), 136, 12);
  block.write(`        ${type}`, 148, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
