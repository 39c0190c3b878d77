/** The files and folders that make Tenon run something, in a folder and below it. */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { RESERVED_IN_PROJECT } from '@tenon/sandbox/api';

/** How far a folder is looked through when it is trusted. What lies beyond counts as new, so that it is asked about. */
const WALK = { depth: 6, folders: 2_000, atOnce: 16 };
/** Made by tools, large, and seldom worked in. */
const SKIPPED: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.venv',
  'venv',
  '__pycache__',
  'node_modules',
  'target',
]);

/** Which of `names` are in the folders from `path` up to `top`, which holds it; as paths from `top`. */
export async function triggersUpTo(top: string, path: string, names: readonly string[]): Promise<string[]> {
  const chain: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    chain.unshift(folder);
    if (folder === top || dirname(folder) === folder) break;
  }
  return (await Promise.all(chain.map((folder) => triggersIn(top, folder, names)))).flat();
}

/** Which of `names` are in `top` and, as far as it is walked, below it; as paths from `top`. */
export async function triggersBelow(top: string, names: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  let level = [top];
  let left = WALK.folders;
  for (let depth = 0; depth <= WALK.depth && level.length > 0 && left > 0; depth++) {
    const looked = level.slice(0, left);
    left -= looked.length;
    const next: string[] = [];
    for (let start = 0; start < looked.length; start += WALK.atOnce) {
      const some = looked.slice(start, start + WALK.atOnce);
      for (const { triggers, folders } of await Promise.all(some.map((folder) => look(top, folder, names)))) {
        paths.push(...triggers);
        next.push(...folders);
      }
    }
    level = next;
  }
  return paths;
}

async function look(top: string, folder: string, names: readonly string[]) {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch {
    return { triggers: [], folders: [] }; // It cannot be listed: whatever it holds counts as new when somebody works there.
  }
  const present = new Set(entries.map(({ name }) => name));
  const hasTrigger = names.some((name) => present.has(name.split('/', 1)[0] ?? name));
  return {
    triggers: hasTrigger ? await triggersIn(top, folder, names) : [],
    folders: entries
      .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name) && !names.includes(entry.name))
      .map(({ name }) => join(folder, name))
      .toSorted(),
  };
}

async function triggersIn(top: string, folder: string, names: readonly string[]): Promise<string[]> {
  // In the trusted folder itself sandboxes keep Tenon's own folder from coming into being; whoever made it may have it used.
  const watched = folder === top ? names.filter((name) => name !== RESERVED_IN_PROJECT) : names;
  const isThere = await Promise.all(watched.map((name) => isTrigger(folder, name)));
  return watched.filter((_, index) => isThere[index]).map((name) => nameFrom(top, join(folder, name)));
}

async function isTrigger(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  try {
    const stats = await lstat(path);
    // A sandbox holds places that must not come into being with empty folders, which run nothing.
    return !stats.isDirectory() || (await readdir(path)).length > 0;
  } catch (fault) {
    // What is there but cannot be looked at may still be run.
    return !['ENOENT', 'ENOTDIR'].includes((fault as NodeJS.ErrnoException).code ?? '');
  }
}

function nameFrom(top: string, path: string): string {
  return relative(top, path).split(sep).join('/');
}
