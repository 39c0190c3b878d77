/** How much a folder takes on the disk. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_FILES = 200_000;

/** The bytes of the files below a folder; links count as themselves. Undefined when it has too many files to be counted. */
export async function folderBytes(folder: string): Promise<number | undefined> {
  let bytes = 0;
  let files = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const path = next;
    // Files come and go while they are counted.
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    files += entries.length;
    if (files > MAX_FILES) return undefined;
    for (const entry of entries) if (entry.isDirectory()) waiting.push(join(path, entry.name));
    const found = entries.filter((entry) => !entry.isDirectory());
    const sizes = await Promise.all(
      found.map(async ({ name }) => (await lstat(join(path, name)).catch(() => undefined))?.size ?? 0),
    );
    bytes += sizes.reduce((sum, size) => sum + size, 0);
  }
  return bytes;
}
