/** Reads what stands at a path, without following links and without trusting a file that changes meanwhile. */
import { constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { STAT_BYTES } from '@tenon/native';

/** What was read: bytes of a file with the facts that belong to them, or the target of a link. */
export type Reading =
  | { readonly kind: 'file'; readonly content: Buffer; readonly stat: Buffer }
  | { readonly kind: 'link'; readonly target: string; readonly stat: Buffer }
  | { readonly kind: 'gone' | 'large' | 'unreadable' | 'changing' | 'special' };

// A pipe that took the file's place must not make us wait for a writer.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const ATTEMPTS = 3;

interface Facts {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly mode: bigint;
}

/** The packed form of what the system says, as the walk gives it. */
export function packStat(facts: Facts, flags: number): Buffer {
  const record = Buffer.alloc(STAT_BYTES);
  record.writeBigUInt64LE(facts.size, 0);
  record.writeBigInt64LE(facts.mtimeNs, 8);
  record.writeBigInt64LE(facts.ctimeNs, 16);
  record.writeBigUInt64LE(facts.ino, 24);
  record.writeUInt32LE(Number(facts.mode), 32);
  record.writeUInt32LE(flags, 36);
  return record;
}

/** Reads a regular file of at most `maxBytes`. */
export async function readContent(path: Buffer, flags: number, maxBytes: number): Promise<Reading> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const reading = await readOnce(path, flags, maxBytes);
    if (reading.kind !== 'changing') return reading;
  }
  return { kind: 'changing' };
}

async function readOnce(path: Buffer, flags: number, maxBytes: number): Promise<Reading> {
  try {
    const handle = await open(path, FLAGS);
    try {
      const before = await handle.stat({ bigint: true });
      if (!before.isFile()) return { kind: 'special' };
      if (before.size > BigInt(maxBytes)) return { kind: 'large' };
      const content = await readUpTo(handle, Number(before.size), maxBytes);
      const after = await handle.stat({ bigint: true });
      const isSame =
        content?.length === Number(before.size) &&
        before.size === after.size &&
        before.mtimeNs === after.mtimeNs &&
        before.ctimeNs === after.ctimeNs;
      return isSame && content ? { kind: 'file', content, stat: packStat(after, flags) } : { kind: 'changing' };
    } finally {
      await handle.close();
    }
  } catch (fault) {
    const { code = '' } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone' };
    if (code === 'ELOOP' || code === 'EMLINK') return readLink(path, flags);
    if (code === 'ENXIO') return { kind: 'special' };
    return { kind: 'unreadable' };
  }
}

/** One byte more than expected, so that a file that grew is noticed. */
async function readUpTo(
  handle: Awaited<ReturnType<typeof open>>,
  size: number,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (size > maxBytes) return undefined;
  const buffer = Buffer.allocUnsafe(size + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Reads where a link leads. */
export async function readLink(path: Buffer, flags: number): Promise<Reading> {
  try {
    const target = await readlink(path, { encoding: 'buffer' });
    return {
      kind: 'link',
      target: target.toString('latin1'),
      stat: packStat(await lstat(path, { bigint: true }), flags),
    };
  } catch (fault) {
    const { code = '' } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone' };
    return { kind: code === 'EINVAL' ? 'changing' : 'unreadable' };
  }
}
