/** Reads files that other programs wrote, or somebody in their name: bounded, and never anything but regular files. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isRecord, type Row } from './parts.ts';

const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** A line may hold a few images. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
const CHUNK = 1 << 20;
const LF = 10;

/** Whether a link may be followed: one that the user named, and none that was found. */
export interface OpenOptions {
  readonly followLinks?: boolean;
}

/** Hands over the object of each line, and gives what could not be read: lines that are no objects are passed over. */
export async function readRows(file: string, take: (row: Row) => void | Promise<void>): Promise<readonly string[]> {
  return withFile(file, {}, async (handle, size) => {
    if (size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`);
    let broken = 0;
    let isTorn = false;
    await eachLine(handle, async (line, isLast) => {
      if (line?.trim() === '') return;
      const row = line === undefined ? undefined : rowOf(line);
      if (row) await take(row);
      else if (isLast) isTorn = true;
      else broken++;
    });
    return [
      ...(broken > 0 ? [`${broken === 1 ? 'a line' : `${broken} lines`} could not be read`] : []),
      ...(isTorn ? ['the last line was cut off'] : []),
    ];
  });
}

/** Hands over each line; `undefined` for one that is too long. */
async function eachLine(
  handle: FileHandle,
  take: (line: string | undefined, isLast: boolean) => Promise<void>,
): Promise<void> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let parts: Buffer[] = [];
  let length = 0;
  const finish = async (isLast: boolean) => {
    const line = length > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
    parts = [];
    length = 0;
    await take(line, isLast);
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length <= MAX_LINE_BYTES) parts.push(Buffer.from(part));
    else parts = [];
  };
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, null);
    if (bytesRead === 0) break;
    const read = chunk.subarray(0, bytesRead);
    let start = 0;
    for (let end = read.indexOf(LF); end !== -1; end = read.indexOf(LF, start)) {
      add(read.subarray(start, end));
      await finish(false);
      start = end + 1;
    }
    add(read.subarray(start));
  }
  if (length > 0) await finish(true);
}

/** The object of a line; nothing when it is something else. */
export function rowOf(line: string): Row | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // Counted by the caller.
  }
}

/** A whole file that holds one object, or nothing when it is something else. */
export async function readObject(file: string): Promise<Row | undefined> {
  return withFile(file, {}, async (handle, size) => {
    if (size > MAX_LINE_BYTES) throw new Error(`it is larger than ${MAX_LINE_BYTES / 1024 / 1024} MB`);
    return rowOf(await handle.readFile('utf8'));
  });
}

/** The first bytes of a file, as text. */
export async function readHead(file: string, options: OpenOptions = {}): Promise<string> {
  return withFile(file, options, async (handle, size) => {
    const head = Buffer.alloc(Math.min(HEAD_BYTES, size));
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return head.toString('utf8', 0, bytesRead);
  });
}

/** A small file of bytes: an image that is kept beside the conversation. */
export async function readBytes(file: string): Promise<Buffer> {
  return withFile(file, {}, async (handle, size) => {
    if (size > MAX_LINE_BYTES) throw new Error(`it is larger than ${MAX_LINE_BYTES / 1024 / 1024} MB`);
    return handle.readFile();
  });
}

async function withFile<T>(
  file: string,
  { followLinks }: OpenOptions,
  work: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  // A pipe must not make anybody wait, and a link must not lead elsewhere.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW);
  const handle = await open(file, flags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return await work(handle, stats.size);
  } finally {
    await handle.close();
  }
}
