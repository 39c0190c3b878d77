/** The branch that a folder is on, for footers. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The name of the branch, a short commit when there is none, and nothing outside of git. */
export function gitBranch(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    if (existsSync(git)) return headOf(git);
    if (folder === dirname(folder)) return undefined;
  }
}

function headOf(git: string): string | undefined {
  try {
    // A worktree has a file that names its folder.
    const folder = statSync(git).isDirectory()
      ? git
      : resolve(
          dirname(git),
          readFileSync(git, 'utf8')
            .replace(/^gitdir:\s*/, '')
            .trim(),
        );
    const head = readFileSync(join(folder, 'HEAD'), 'utf8').trim();
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
  } catch {
    return undefined; // Something that only looks like git has no branch.
  }
}
