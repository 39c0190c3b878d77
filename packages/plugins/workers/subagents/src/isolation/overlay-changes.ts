/** Which paths a subagent has touched in an overlay: only those are looked at, so that what others change below does not count as its work. */
import { lstatSync, readdirSync } from 'node:fs';
import type { OverlayFolders } from './overlay-mount.ts';

/** Paths are bytes, held as Latin-1. */
export interface TouchedPaths {
  /** Folders that were written to. */
  readonly folders: ReadonlySet<string>;
  /** Files and links that are in the upper folder; among them signs of deletion, which are in no other. */
  readonly files: readonly string[];
}

const bytes = (folder: string, path: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);

const look = (folder: string, path: string) => {
  try {
    return lstatSync(bytes(folder, path));
  } catch {
    return undefined; // Not there, or something else than a folder is on the way.
  }
};

/** Walks the upper folder. Git's own folders are nobody's work. */
export function touchedPaths({ upper }: OverlayFolders): TouchedPaths {
  const [folders, files]: [Set<string>, string[]] = [new Set(['']), []];
  const walk = (folder: string) => {
    for (const entry of readdirSync(bytes(upper, folder), { withFileTypes: true, encoding: 'buffer' })) {
      const name = (entry.name as unknown as Buffer).toString('latin1');
      if (name === '.git') continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      if (!entry.isDirectory()) files.push(path);
      else {
        folders.add(path);
        walk(path);
      }
    }
  };
  walk('');
  return { folders, files };
}

/** Of the paths that there were at the beginning: those that the subagent has removed, itself or with a folder around them. */
export function removedPaths(
  overlay: OverlayFolders,
  touched: TouchedPaths,
  before: readonly string[],
): readonly string[] {
  const known = new Map<string, boolean>();
  return before.filter((path) => {
    const parts = path.split('/');
    let depth = 0;
    while (depth + 1 < parts.length && touched.folders.has(parts.slice(0, depth + 1).join('/'))) depth++;
    // The first part of the path that is not surely there.
    const at = parts.slice(0, depth + 1).join('/');
    const isFile = depth + 1 === parts.length;
    const key = `${isFile ? 'f' : 'd'}${at}`;
    let isGone = known.get(key);
    if (isGone === undefined) {
      const [here, below] = [look(overlay.merged, at), look(overlay.lower, at)];
      const isRightKind = here !== undefined && here.isDirectory() !== isFile;
      // What is not below any more was removed by somebody else.
      isGone = !isRightKind && below !== undefined;
      known.set(key, isGone);
    }
    return isGone;
  });
}

/** Whether a file or link of the upper folder is one that the subagent sees. */
export function isSeen({ merged }: OverlayFolders, path: string): boolean {
  const stats = look(merged, path);
  return stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
}
