/** Where a folder is in its checkout. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The top of the checkout around a folder; undefined outside of one. */
export function checkoutAround(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
