/** The branch that a folder is on, read from git's own files: starting git for it would cost more than the whole frame. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The branch, or the beginning of a commit; nothing outside of a repository. */
export function gitBranch(folder: string): string | undefined {
  const gitFolder = findGitFolder(folder);
  const head = gitFolder === undefined ? undefined : readOrNothing(join(gitFolder, 'HEAD'))?.trim();
  if (head === undefined || head === '') return undefined;
  return head.startsWith('ref: ') ? head.slice('ref: '.length).replace(/^refs\/heads\//, '') : head.slice(0, 8);
}

function findGitFolder(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, '.git');
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return path;
    // A worktree or a submodule: the file says where the folder is.
    const link = stats?.isFile() ? /^gitdir: (.+)$/m.exec(readOrNothing(path) ?? '')?.[1] : undefined;
    if (link !== undefined) return resolve(at, link);
    if (dirname(at) === at) return undefined;
  }
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // Gone or not readable: then there is no branch to show.
  }
}
