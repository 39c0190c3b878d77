/** Small files that are read and replaced as a whole. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';

/** The text of a file; nothing when it is absent. Larger files are refused unread. */
export async function readText(file: string, maxBytes: number): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    // A pipe in its place would never end.
    if (!stats.isFile()) throw new Error('it is no file');
    if (stats.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return await readFile(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw errors.create('MARKETPLACE_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
}

/** Replaces a file in one step, so that a crash leaves the old or the new one. */
export async function replaceFile(file: string, text: string | Uint8Array, mode = 0o600): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flush: true });
    await rename(temporary, file);
    await flushFolder(dirname(file));
  } catch (fault) {
    await rm(temporary, { force: true });
    throw fault;
  }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
