/** Files that a command puts into its prompt. */
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { isInside } from '@tenon/host';

const MAX_BYTES = 256 * 1024;
const MAX_ENTRIES = 200;

/** What there is at a path: its text, or why it is not put in. */
export type Included = { readonly text: string; readonly path: string } | { readonly reason: string };

/** Reads a file, or lists a folder, inside of one of the roots; links that lead out of them do not count as inside. */
export async function includeFile(given: string, cwd: string, roots: readonly string[]): Promise<Included> {
  const path = await realpath(resolve(cwd, given)).catch(() => undefined);
  if (path === undefined) return { reason: 'there is no such file' };
  // A root that does not exist holds no file.
  const real = (await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))).filter(
    (root) => root !== undefined,
  );
  if (!real.some((root) => isInside(path, root))) return { reason: 'it is outside of the project' };
  const here = await realpath(cwd).catch(() => cwd);
  const name = path === here ? '.' : isInside(path, here) ? relative(here, path) : path;
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
  if (!file) return { reason: 'it cannot be read' };
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) return { path: `${name}/`, text: await listing(path) };
    if (!stats.isFile()) return { reason: 'it is not a regular file' };
    const bytes = Buffer.alloc(Math.min(stats.size, MAX_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const head = bytes.subarray(0, bytesRead);
    if (head.includes(0)) return { reason: 'it is not text' };
    const cut =
      stats.size > MAX_BYTES ? `\n[Cut after ${MAX_BYTES} of ${stats.size} bytes; read the file for the rest.]` : '';
    return { path: name, text: head.toString('utf8') + cut };
  } finally {
    await file.close();
  }
}

async function listing(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? join(entry.name, sep) : entry.name)).sort();
  const more = names.length > MAX_ENTRIES ? [`… and ${names.length - MAX_ENTRIES} more`] : [];
  return [...names.slice(0, MAX_ENTRIES), ...more].join('\n');
}
