/** What a program needs to be seen with in a sandbox. */
import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isInside } from './paths.ts';

/**
 * Every sandbox has a folder for temporary files of its own, so that a program which lies in the real one must be shown: its file, and where
 * it belongs to an installation of packages, all of that. Anywhere else a program is readable anyway.
 */
export function programPlaces(program: string): readonly string[] {
  if (!existsSync(program)) return [];
  const file = realpathSync(program);
  const temporary = [...new Set(['/tmp', tmpdir()])]
    .filter((folder) => existsSync(folder))
    .map((folder) => realpathSync(folder));
  if (!temporary.some((folder) => isInside(file, folder))) return [program];
  for (let folder = dirname(file); !temporary.includes(folder) && dirname(folder) !== folder; folder = dirname(folder))
    if (existsSync(join(folder, 'node_modules'))) return [...new Set([program, folder])];
  return [...new Set([program, file])];
}
