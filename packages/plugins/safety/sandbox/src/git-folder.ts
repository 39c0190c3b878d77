/** Where a workspace's git folder is, and which of its parts stay as they are. */
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { TRIGGERS_OF_GIT } from './places/fixed-places.ts';

/** Git folders that a commit changes, and their parts that must not change. Only what exists. */
export interface GitPlaces {
  readonly write: readonly string[];
  readonly protect: readonly string[];
}

/**
 * The git folders for work in `workspace` (a real path). A `.git` file counts only when the folder it names points back to
 * it: the file lies in the workspace, where an earlier program may have written it.
 */
export async function gitPlaces(workspace: string): Promise<GitPlaces> {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const kind = await kindOf(entry);
    if (kind === 'folder') return { write: [entry], protect: await triggersIn(entry) };
    if (kind === 'file') return linkedWorktree(entry);
    if (kind === 'other' || dirname(folder) === folder) return { write: [], protect: [] };
  }
}

async function linkedWorktree(file: string): Promise<GitPlaces> {
  const nothing = { write: [], protect: [file] };
  const [, named] = /^gitdir: (.+)$/m.exec(await textOf(file)) ?? [];
  if (named === undefined) return nothing;
  const own = resolve(dirname(file), named);
  const common = dirname(dirname(own));
  const isWorktree = basename(dirname(own)) === 'worktrees' && basename(common) === '.git';
  if (!isWorktree || (await kindOf(own)) !== 'folder' || (await kindOf(common)) !== 'folder') return nothing;
  if ((await textOf(join(own, 'gitdir'))).trim() !== file) return nothing;
  const pointers = await existing(['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name)));
  return { write: [common], protect: [file, ...(await triggersIn(common)), ...pointers] };
}

function triggersIn(folder: string): Promise<string[]> {
  return existing(TRIGGERS_OF_GIT.map((name) => join(folder, name)));
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(paths.map(kindOf));
  return paths.filter((_, index) => kinds[index] === 'folder' || kinds[index] === 'file');
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
