import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The path with all links resolved, as far as it exists. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    const parent = dirname(path);
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || parent === path) throw fault;
    return join(realPlace(parent), basename(path));
  }
}
