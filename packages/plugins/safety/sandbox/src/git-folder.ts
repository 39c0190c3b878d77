/** Where a workspace's git folder is, and which of its parts stay as they are. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { lookedAt } from './held-places.ts';
import { TRIGGERS_OF_GIT } from './places/fixed-places.ts';

/** Git folders that a commit changes, their parts that must not change, and the names of such parts that must stay unused. */
export interface GitPlaces {
  readonly write: readonly string[];
  readonly protect: readonly string[];
  readonly reserved: readonly string[];
  /** Names that git reads as files, and a text that changes nothing for it. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** What git keeps of the other worktrees: gone in the moment that one of them is removed. */
  readonly passing: readonly string[];
}

/** What git may find in place of a file that is not there. A `commondir` that leads to the folder it is in changes nothing. */
const HARMLESS: Readonly<Record<string, string>> = { config: '', 'config.worktree': '', commondir: '.\n', gitdir: '' };
/** Nothing to write or to protect. */
export const NOTHING: GitPlaces = { write: [], protect: [], reserved: [], files: [], passing: [] };

/**
 * The git folders for work in `workspace` (a real path). A `.git` file counts only when the folder it names points back to
 * it: the file lies in the workspace, where an earlier program may have written it.
 */
export async function gitPlaces(workspace: string): Promise<GitPlaces> {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const kind = await kindOf(entry);
    if (kind === 'folder') return joined([{ ...NOTHING, write: [entry] }, await partsOf(entry)]);
    if (kind === 'file') return linkedWorktree(entry);
    if (kind === 'other' || dirname(folder) === folder) return NOTHING;
  }
}

async function linkedWorktree(file: string): Promise<GitPlaces> {
  const nothing = { ...NOTHING, protect: [file] };
  const [, named] = /^gitdir: (.+)$/m.exec(await textOf(file)) ?? [];
  if (named === undefined) return nothing;
  const own = resolve(dirname(file), named);
  const common = dirname(dirname(own));
  const isWorktree = basename(dirname(own)) === 'worktrees' && basename(common) === '.git';
  if (!isWorktree || (await kindOf(own)) !== 'folder' || (await kindOf(common)) !== 'folder') return nothing;
  if ((await textOf(join(own, 'gitdir'))).trim() !== file) return nothing;
  const parts = await partsOf(common);
  // Its own must be there, and so must the folder of all.
  const passing = parts.passing.filter((folder) => folder !== own && folder !== dirname(own));
  return joined([
    { ...NOTHING, write: [common], protect: [file] },
    { ...parts, passing },
  ]);
}

/** The parts of a git folder that decide what git runs, those of its worktrees included. */
async function partsOf(folder: string): Promise<GitPlaces> {
  const worktrees = await worktreesOf(folder);
  // Git reads the settings of single worktrees only where its own settings say so, and those are protected.
  const hasOwnSettings = /worktreeconfig\s*=\s*(?:true|yes|on|1)/i.test(await textOf(join(folder, 'config')));
  const pointers = ['commondir', 'gitdir', ...(hasOwnSettings ? ['config.worktree'] : [])];
  const paths = [
    ...TRIGGERS_OF_GIT.map((name) => join(folder, name)),
    ...worktrees.flatMap((worktree) => pointers.map((name) => join(worktree, name))),
  ];
  const looks = await Promise.all(paths.map((path) => lookedAt(path, () => kindOf(path))));
  const isThere = (index: number) => looks[index]?.found !== undefined && !looks[index].held;
  const unused = paths.filter((_, index) => !isThere(index));
  // A worktree that was removed meanwhile must not come back as a folder with names that are held.
  const folders = new Map(await Promise.all(unused.map(async (path) => [path, await kindOf(dirname(path))] as const)));
  const missing = unused.filter((path) => dirname(path) === folder || folders.get(path) === 'folder');
  return {
    write: [],
    protect: paths.filter((_, index) => isThere(index) && looks[index]?.found !== 'other'),
    reserved: missing.filter((path) => HARMLESS[basename(path)] === undefined),
    files: missing.flatMap((path) => {
      const text = HARMLESS[basename(path)];
      return text === undefined ? [] : [{ path, text }];
    }),
    // With the last of them git removes the folder of all.
    passing: worktrees.length === 0 ? [] : [...worktrees, join(folder, 'worktrees')],
  };
}

async function worktreesOf(folder: string): Promise<string[]> {
  const base = join(folder, 'worktrees');
  try {
    const entries = await readdir(base, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(base, name));
  } catch {
    return []; // There are none.
  }
}

function joined(places: readonly GitPlaces[]): GitPlaces {
  return {
    write: places.flatMap(({ write }) => write),
    protect: places.flatMap(({ protect }) => protect),
    reserved: places.flatMap(({ reserved }) => reserved),
    files: places.flatMap(({ files }) => files),
    passing: places.flatMap(({ passing }) => passing),
  };
}

/** What stands at a path, without following a link there. */
export async function kindOf(path: string): Promise<'folder' | 'file' | 'other' | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
  } catch {
    return undefined; // Absent or out of reach: nothing to protect or to show.
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return ''; // Absent: it names nothing.
  }
}
