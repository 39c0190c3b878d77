/**
 * Reads files that a program in a sandbox may have written. Tenon sees more than the sandbox shows, so that a link must not lead it to
 * a file which that program could not read itself, and a pipe must not make it wait.
 */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isInside } from './paths.ts';

const MAX_BYTES = 1024 * 1024;

/** What was found at a path. */
export type PlainFile = { readonly text: string } | { readonly missing: true } | { readonly refused: string };

/** The text of a plain file below `root`, which may not be reached by way of a link. */
export async function readPlainFile(root: string, path: string, maxBytes = MAX_BYTES): Promise<PlainFile> {
  try {
    const folder = await realpath(dirname(path));
    if (!isInside(folder, await realpath(root))) return { refused: 'its folder is a link that leads elsewhere' };
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.nlink > 1) return { refused: 'it is not a regular file' };
      if (stats.size > maxBytes) return { refused: `it is larger than ${maxBytes / 1024 / 1024} MB` };
      return { text: await file.readFile('utf8') };
    } finally {
      await file.close();
    }
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: true };
    if (code === 'ELOOP' || code === 'EMLINK' || code === 'ENXIO') return { refused: 'it is a link, or no file' };
    throw fault;
  }
}
