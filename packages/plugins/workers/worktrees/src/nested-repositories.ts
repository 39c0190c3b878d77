/** Looks for work in the repositories that a checkout contains. Nothing that their settings name is run: see `runGit`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoriesInIndex, runGit, withoutFilters } from '@tenon/host';

const MAX_DEPTH = 8;

/** The repositories in a folder that hold changes, as paths from it. What cannot be looked at counts as changed. */
export async function changedRepositories(folder: string, depth = 0): Promise<readonly string[]> {
  const paths = await repositoriesInIndex(folder);
  if (paths === undefined) return ['.'];
  const changed: string[] = [];
  for (const path of paths) if (await isChanged(join(folder, path), depth)) changed.push(path);
  return changed;
}

async function isChanged(folder: string, depth: number): Promise<boolean> {
  // A submodule that is not checked out.
  if (!existsSync(join(folder, '.git'))) return false;
  if (depth === MAX_DEPTH) return true;
  const settings = await withoutFilters(folder);
  if (settings === undefined) return true;
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=dirty'];
  const { code, out } = await runGit(folder, args, { settings });
  return code !== 0 || out !== '' || (await changedRepositories(folder, depth + 1)).length > 0;
}
