/** The files of a packed archive (.tgz), as entries of a tree. Strict: what is unusual is refused, not guessed at. */
import { createGunzip } from 'node:zlib';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { ByteReader } from './byte-reader.ts';
import type { TreeLimits } from './tree-guard.ts';
import type { TreeEntry } from './write-tree.ts';

const BLOCK = 512;
/** Source code packs to a fifth or a tenth; a thousandth is an attack. Small archives may pack better than that. */
const MAX_RATIO = 200;
const FREE_BYTES = 4 * 1024 * 1024;
const MAX_EXTRA_HEADER = 64 * 1024;

/** Unpacks in memory-sized steps. The first part of all paths (`package/`) is taken away, as npm does. */
export async function* archiveEntries(packed: Uint8Array, what: string, limits: TreeLimits): AsyncGenerator<TreeEntry> {
  const refuse = (reason: string): never => {
    throw errors.create('MARKETPLACE_HOSTILE', { what, reason });
  };
  const bytes = new ByteReader(unpack(packed, limits, refuse));
  let extra: Readonly<Record<string, string>> = {};
  for (;;) {
    const block = await bytes.take(BLOCK);
    // The end: zeros, or nothing at all.
    if (block.every((byte) => byte === 0)) return;
    if (block.length < BLOCK) refuse('the archive is cut off');
    const header = parseHeader(block, refuse);
    const size = 'size' in extra ? wholeNumber(extra['size'] ?? '', refuse) : header.size;
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (header.type === 'x' || header.type === 'L' || header.type === 'K') {
      if (size > MAX_EXTRA_HEADER) refuse('the archive has an oversized header');
      const data = await bytes.take(size);
      await bytes.take(padding);
      const name = header.type === 'L' ? 'path' : 'linkpath';
      extra =
        header.type === 'x' ? { ...extra, ...parsePax(data, refuse) } : { ...extra, [name]: cutAtNul(data, refuse) };
      continue;
    }
    if (header.type === 'g') {
      // Global headers carry comments (git writes the commit there); what they say about files is not used.
      if (size > MAX_EXTRA_HEADER) refuse('the archive has an oversized header');
      await bytes.take(size + padding);
      continue;
    }
    const path = withoutFirstPart(extra['path'] ?? header.path);
    const linkPath = extra['linkpath'] ?? header.linkPath;
    extra = {};
    if (header.type === '5') {
      if (size !== 0) refuse('the archive has a folder with bytes');
      continue;
    }
    if (header.type === '2') {
      const target = Buffer.from(linkPath);
      yield { path, kind: 'link', executable: false, size: target.length, bytes: [target] };
      continue;
    }
    if (header.type !== '0' && header.type !== '\0') {
      const kinds: Record<string, string> = { '1': 'a hard link', '3': 'a device', '4': 'a device', '6': 'a pipe' };
      refuse(
        `${JSON.stringify(path)} is ${kinds[header.type] ?? `of the unknown kind ${JSON.stringify(header.type)}`}`,
      );
    }
    bytes.openStream(size);
    const content = bytes.stream(() => refuse('the archive is cut off'));
    yield { path, kind: 'file', executable: (header.mode & 0o111) !== 0, size, bytes: content };
    await bytes.finishStream();
    await bytes.take(padding);
  }
}

async function* unpack(packed: Uint8Array, limits: TreeLimits, refuse: (reason: string) => never) {
  const gunzip = createGunzip();
  gunzip.end(packed);
  // Headers and padding: at most three blocks for each file.
  const most = limits.maxBytes + limits.maxFiles * 3 * BLOCK + FREE_BYTES;
  let size = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > FREE_BYTES && size > packed.length * MAX_RATIO)
        refuse(`it unpacks to more than ${MAX_RATIO} times its size`);
      if (size > most) refuse(`it is larger than ${Math.floor(limits.maxBytes / 1024 / 1024)} MB`);
      yield chunk;
    }
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code?.startsWith('Z_')) refuse(`it cannot be unpacked: ${messageOf(fault)}`);
    throw fault;
  } finally {
    gunzip.destroy();
  }
}

function parseHeader(block: Buffer, refuse: (reason: string) => never) {
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (sum !== octal(block, 148, 8, refuse)) refuse('a header of the archive is damaged');
  const text = (start: number, length: number) => cutAtNul(block.subarray(start, start + length), refuse);
  const isUstar = text(257, 6).startsWith('ustar');
  const prefix = isUstar && block[257 + 6] === 0x30 ? text(345, 155) : '';
  return {
    path: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`,
    mode: octal(block, 100, 8, refuse),
    size: octal(block, 124, 12, refuse),
    type: String.fromCharCode(block[156] ?? 0),
    linkPath: text(157, 100),
  };
}

function octal(block: Buffer, start: number, length: number, refuse: (reason: string) => never): number {
  const text = block
    .subarray(start, start + length)
    .toString('latin1')
    .replace(/[\0 ]+$/, '')
    .trimStart();
  if (text === '') return 0;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : refuse('a header of the archive is damaged');
}

/** Records of the form `LENGTH KEY=VALUE\n`, where LENGTH counts the whole record. */
function parsePax(data: Buffer, refuse: (reason: string) => never): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at);
    const length = space === -1 ? 0 : wholeNumber(data.subarray(at, space).toString('latin1'), refuse);
    const record = data.subarray(space + 1, at + length);
    const equals = record.indexOf(0x3d);
    if (length === 0 || at + length > data.length || equals < 1 || record.at(-1) !== 0x0a)
      refuse('a header of the archive is damaged');
    const key = decode(record.subarray(0, equals), refuse);
    if (key.startsWith('GNU.sparse')) refuse('the archive has sparse files');
    if (key === 'path' || key === 'linkpath' || key === 'size')
      records[key] = decode(record.subarray(equals + 1, -1), refuse);
    at += length;
  }
  return records;
}

function wholeNumber(text: string, refuse: (reason: string) => never): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : refuse('a header of the archive is damaged');
}

function cutAtNul(bytes: Buffer, refuse: (reason: string) => never): string {
  const end = bytes.indexOf(0);
  return decode(end === -1 ? bytes : bytes.subarray(0, end), refuse);
}

function decode(bytes: Buffer, refuse: (reason: string) => never): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('the archive has a name that is not valid Unicode');
  }
}

/** What is left is judged by the guard; what this would hide from it stays as it is. */
function withoutFirstPart(path: string): string {
  const plain = path.replace(/^(?:\.\/)+/, '');
  const slash = plain.indexOf('/');
  // A path of one part lies beside the package's folder: no package is packed so.
  if (slash === -1) return '..';
  return slash === 0 || plain.startsWith('../') ? plain : plain.slice(slash + 1);
}
