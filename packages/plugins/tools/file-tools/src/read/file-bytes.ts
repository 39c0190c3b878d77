/** Bytes of files, never more than is good: not from pipes, not past the size that was seen, not without end. */
import { closeSync, constants, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errors } from '../errors.ts';

/** How many bytes from the start tell what a file is. */
export const HEAD_BYTES = 64 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** Files of the kernel, such as those in /proc, say that they are empty and are not. */
const MAX_SIZELESS_BYTES = 4 * 1024 * 1024;

/** True when the head of a file has a zero byte, which no text has; UTF-16 is not text to these tools. */
export function isBinary(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 8192)).includes(0);
}

/** Turns away what could block or never end. */
export function refuseSpecial(stats: Stats, shownPath: string): void {
  if (stats.isFile() || stats.isDirectory()) return;
  const kind = stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device';
  throw errors.create('FILE_TOOLS_NOT_REGULAR', { path: shownPath, kind });
}

/** The first bytes. */
export async function readHead(path: string, { size }: Stats): Promise<Buffer> {
  if (size > 0 && size <= HEAD_BYTES) return readSmall(path, size);
  return withFile(path, (file) => fill(file, HEAD_BYTES));
}

/** At once: waking another thread three times, and being woken by it, takes ten times as long as reading the file. */
function readSmall(path: string, size: number): Buffer {
  const file = openSync(path, READING);
  try {
    const buffer = Buffer.alloc(size);
    let filled = 0;
    for (let more = 1; more > 0 && filled < size; filled += more)
      more = readSync(file, buffer, filled, size - filled, filled);
    return buffer.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

/**
 * The whole file, as long as it was when it was looked at; what is added meanwhile is for the next reader. Most files end
 * within the `head` that was read already.
 */
export async function readWhole(
  path: string,
  { size }: Stats,
  { signal, head }: { readonly signal: AbortSignal; readonly head?: Buffer },
): Promise<Buffer> {
  if (head !== undefined && size > 0 && head.length === size) return head;
  return withFile(path, (file) => fill(file, size > 0 ? size : MAX_SIZELESS_BYTES, signal));
}

/** The file piece by piece, up to the size that was seen. */
export async function* fileChunks(path: string, { size }: Stats, signal: AbortSignal): AsyncGenerator<Buffer> {
  const file = await openFile(path);
  try {
    for (let at = 0; at < size;) {
      signal.throwIfAborted();
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Without waiting: a file that was replaced by a pipe a moment ago must not hold up everything. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function openFile(path: string): Promise<FileHandle> {
  return open(path, READING);
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openFile(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function fill(file: FileHandle, bytes: number, signal?: AbortSignal): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, filled, Math.min(CHUNK_BYTES, bytes - filled), filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
