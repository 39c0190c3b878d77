/** Where a project begins and ends. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MAX_DEPTH = 20;

/** The folders of a project. */
export interface ProjectFolders {
  /** From the working folder up to the root, nearest first. Empty in the home folder: what is there is the user's. */
  readonly folders: readonly string[];
  /** The repository's root, or the topmost of `folders`. */
  readonly root: string;
}

/**
 * Walks up to the root of the repository. The home folder and what is above it never belong to a project. Without a
 * repository, folders inside the home folder count up to it; elsewhere only the working folder does, because anybody may
 * have put something into `/tmp`.
 */
export function projectFolders(cwd: string, home: string): ProjectFolders {
  const walked: string[] = [];
  // A shell may know the folder by its real path and the home folder by a link, or the other way round.
  const homes = [home, existsSync(home) ? realpathSync(home) : home];
  for (let folder = cwd; walked.length < MAX_DEPTH; folder = dirname(folder)) {
    if (homes.includes(folder)) return { folders: walked, root: walked.at(-1) ?? cwd };
    walked.push(folder);
    if (existsSync(join(folder, '.git'))) return { folders: walked, root: folder };
    if (dirname(folder) === folder) break;
  }
  return { folders: walked.slice(0, 1), root: cwd };
}
