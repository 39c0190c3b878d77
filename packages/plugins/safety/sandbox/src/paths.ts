/** Questions about paths that the policy and the mechanisms share. */
import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isBelow, isInside } from '@tenon/host';
import type { ExtraPaths } from './api.ts';
import type { HiddenPath } from './mechanisms/launch-policy.ts';

export { isInside };

/** The folders between a path and the root that holds it, without both; none for what no root holds. */
export function foldersAround(path: string, roots: readonly string[]): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); roots.some((root) => isBelow(folder, root)); folder = dirname(folder))
    folders.push(folder);
  return folders;
}

/** The real path, or nothing for what does not exist. */
export function real(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return []; // Absent or out of reach: there is nothing to show or to hide.
  }
}

/** The real paths of what a request adds. A path that does not exist yet is taken as it is written. */
export function extraPaths(extra: ExtraPaths): { readonly read: string[]; readonly write: string[] } {
  const resolved = (paths: readonly string[] = []) => paths.map((path) => real(path)[0] ?? resolve(path));
  return { read: resolved(extra.extraRead), write: resolved(extra.extraWrite) };
}

/** What stays hidden when more paths are shown. */
export function hiddenBeside(hidden: readonly HiddenPath[], shown: readonly string[]): readonly HiddenPath[] {
  return hidden.filter(({ path }) => !shown.some((shownPath) => isInside(path, shownPath)));
}
