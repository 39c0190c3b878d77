/** Reads files of a skill: only those inside of its folder, also where links are followed. */
import { constants, type Stats } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';

/** What people write is shorter than that. */
export const MAX_BYTES = 1024 * 1024;
const MAX_LISTED = 200;
const MAX_DEPTH = 5;

/** The real path inside of a folder; undefined when nothing is there. `segments` hold no `..`. */
export async function pathInside(
  folder: string,
  segments: readonly string[],
  url: string,
): Promise<string | undefined> {
  const base = await realpath(folder).catch(absent);
  const path = base === undefined ? undefined : await realpath(join(base, ...segments)).catch(absent);
  if (base === undefined || path === undefined) return undefined;
  if (!isInside(path, base)) throw errors.create('SKILLS_OUTSIDE', { url });
  return path;
}

/** What stands at a path. */
export async function kindOf(path: string): Promise<'file' | 'folder' | 'other'> {
  const stats: Stats = await stat(path);
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
}

/** The bytes of a regular file. One that is larger than anybody should put there is an error that says so. */
export async function readBytes(path: string): Promise<Buffer> {
  const refuse = (reason: string, fault?: unknown) => errors.create('SKILLS_UNREADABLE', { file: path, reason }, fault);
  // A pipe must not block.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((fault: unknown) => {
    throw refuse((fault as NodeJS.ErrnoException).code ?? messageOf(fault), fault);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refuse('it is not a regular file');
    if (stats.size > MAX_BYTES) throw refuse(`it has ${stats.size} bytes, and at most ${MAX_BYTES} are read`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** A text file. */
export async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path);
  const text = asText(bytes);
  if (text === undefined) throw errors.create('SKILLS_UNREADABLE', { file: path, reason: 'it is not UTF-8 text' });
  return text;
}

/** The text of bytes, if they are text. */
export function asText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // Not UTF-8; the caller says so.
  }
}

/** The files below a folder, with `/` between names; links are not followed. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const visit = async (path: string, names: readonly string[]): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length >= MAX_LISTED) return;
      const inner = [...names, entry.name];
      if (entry.isFile()) files.push(inner.join('/'));
      else if (entry.isDirectory() && entry.name !== 'node_modules' && inner.length < MAX_DEPTH)
        await visit(join(path, entry.name), inner);
    }
  };
  await visit(folder, []);
  return files;
}

function absent(fault: NodeJS.ErrnoException): undefined {
  if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return undefined;
  throw fault;
}
