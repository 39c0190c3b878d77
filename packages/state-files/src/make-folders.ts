/** Folders for new files. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, one by one: Node's own way says ENOENT for a read-only disk, and tries without end
 * where nothing can be made, as below `/proc`.
 */
export async function makeFolders(folder: string): Promise<void> {
  try {
    await make(folder);
  } catch (fault) {
    const above = dirname(folder);
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw fault;
    await makeFolders(above);
    await make(folder);
  }
}

async function make(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (fault) {
    // Another process was faster, or a link leads to it.
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw fault;
  }
}
