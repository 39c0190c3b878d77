/** The table of contents at the end of a zip file. */
import { errors } from '../errors.ts';
import type { ByteSource } from './byte-source.ts';

const END_MARK = 0x06054b50;
const END_BYTES = 22;
const END_64_MARK = 0x06064b50;
const LOCATOR_64_MARK = 0x07064b50;
const HEADER_MARK = 0x02014b50;
const HEADER_BYTES = 46;
const MAX_COMMENT_BYTES = 0xffff;
/** 200,000 entries with names of normal length. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 200_000;

/** One entry of the table. */
export interface ZipRecord {
  readonly writtenName: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  /** Where its local header stands. */
  readonly offset: number;
  /** Of Unix, 0 when the archive was made elsewhere. */
  readonly mode: number;
  readonly modified: Date;
  /** The record as it stands in the table. */
  readonly bytes: Buffer;
}

/** The whole table. */
export interface ZipDirectory {
  readonly records: readonly ZipRecord[];
  /** Where the table starts, which is where the last entry ends. */
  readonly start: number;
  readonly comment: Buffer;
  readonly isCut: boolean;
}

/** Reads the table. */
export async function readDirectory(source: ByteSource): Promise<ZipDirectory> {
  const broken = (reason: string) => errors.create('DOCUMENTS_ARCHIVE', { reason });
  const tailStart = Math.max(0, source.size - END_BYTES - MAX_COMMENT_BYTES - 20);
  const tail = await source.read(tailStart, source.size - tailStart);
  const end = findEnd(tail);
  if (end < 0) throw broken('its table of contents is missing; the file may be cut off');
  let count = tail.readUInt16LE(end + 10);
  let bytes = tail.readUInt32LE(end + 12);
  let start = tail.readUInt32LE(end + 16);
  if (end >= 20 && tail.readUInt32LE(end - 20) === LOCATOR_64_MARK) {
    const record = await source.read(Number(tail.readBigUInt64LE(end - 12)), 56);
    if (record.length < 56 || record.readUInt32LE(0) !== END_64_MARK) throw broken('its end record is damaged');
    count = Number(record.readBigUInt64LE(32));
    bytes = Number(record.readBigUInt64LE(40));
    start = Number(record.readBigUInt64LE(48));
  }
  if (start + bytes > source.size) throw broken('its table of contents lies outside of the file');
  if (bytes > MAX_DIRECTORY_BYTES) throw broken('its table of contents has more than 64 MB');
  const table = await source.read(start, bytes);
  const records: ZipRecord[] = [];
  for (let at = 0; records.length < Math.min(count, MAX_ENTRIES);) {
    if (at + HEADER_BYTES > table.length || table.readUInt32LE(at) !== HEADER_MARK) throw broken('an entry is damaged');
    const record = readRecord(table, at);
    records.push(record);
    at += record.bytes.length;
  }
  const comment = tail.subarray(end + END_BYTES, end + END_BYTES + tail.readUInt16LE(end + 20));
  return { records, start, comment, isCut: count > records.length };
}

function findEnd(tail: Buffer): number {
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    const isMark = tail.readUInt32LE(at) === END_MARK;
    if (isMark && at + END_BYTES + tail.readUInt16LE(at + 20) <= tail.length) return at;
  }
  return -1;
}

function readRecord(table: Buffer, at: number): ZipRecord {
  const nameEnd = at + HEADER_BYTES + table.readUInt16LE(at + 28);
  const extraEnd = nameEnd + table.readUInt16LE(at + 30);
  const end = extraEnd + table.readUInt16LE(at + 32);
  const flags = table.readUInt16LE(at + 8);
  const isUtf8 = (flags & 0x800) !== 0;
  const name = table.subarray(at + HEADER_BYTES, nameEnd);
  const large = largeNumbers(table.subarray(nameEnd, extraEnd), {
    size: table.readUInt32LE(at + 24),
    packedSize: table.readUInt32LE(at + 20),
    offset: table.readUInt32LE(at + 42),
  });
  const isUnix = table[at + 5] === 3;
  return {
    // Without the flag the code page is unknown; nearly everybody writes UTF-8 anyway.
    writtenName: isUtf8 || isUtf8Text(name) ? name.toString('utf8') : name.toString('latin1'),
    flags,
    method: table.readUInt16LE(at + 10),
    crc: table.readUInt32LE(at + 16),
    ...large,
    mode: isUnix ? table.readUInt32LE(at + 38) >>> 16 : 0,
    modified: dosDate(table.readUInt16LE(at + 14), table.readUInt16LE(at + 12)),
    bytes: table.subarray(at, Math.min(end, table.length)),
  };
}

function isUtf8Text(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

interface Numbers {
  size: number;
  packedSize: number;
  offset: number;
}

/** Numbers that do not fit into 32 bits stand in an extra field, in this order and only those. */
function largeNumbers(extra: Buffer, numbers: Numbers): Numbers {
  const sizes = { ...numbers };
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    const end = Math.min(extra.length, next + extra.readUInt16LE(at + 2));
    for (const key of ['size', 'packedSize', 'offset'] as const) {
      if (numbers[key] !== 0xffff_ffff || next + 8 > end) continue;
      sizes[key] = Number(extra.readBigUInt64LE(next));
      next += 8;
    }
  }
  return sizes;
}

function dosDate(date: number, time: number): Date {
  return new Date(1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31, time >> 11, (time >> 5) & 63, (time & 31) * 2);
}
