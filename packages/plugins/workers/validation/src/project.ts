/** What a project of one kind offers to a validation. */
import type { ValidationStep } from './api.ts';

/** What is to be validated. */
export interface Change {
  /** The folder of the project: the top of the worktree, or the folder itself outside of a repository. */
  readonly root: string;
  /** Files that differ from the base, relative to the root, with `/`. Undefined when that is not known: then all counts. */
  readonly files: readonly string[] | undefined;
}

/** Steps that were found, and whether only for a part of the project. */
export interface ProjectSteps {
  readonly isScoped: boolean;
  readonly steps: readonly ValidationStep[];
  /** How they were found, as part of a sentence: "npm (package-lock.json)". */
  readonly how: string;
}

/** Finds the steps of projects of one kind; undefined when the folder holds no such project or it has nothing to run. */
export type ProjectKind = (change: Change) => ProjectSteps | undefined;

/** Folders of packages that hold changed files: the nearest one above each file that has `marker`; '' is the root. */
export function packagesOf(files: readonly string[], isPackage: (folder: string) => boolean): ReadonlySet<string> {
  const known = new Map<string, string>();
  const find = (folder: string): string => {
    if (folder === '') return '';
    const cached = known.get(folder);
    if (cached !== undefined) return cached;
    const parent = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '';
    const found = isPackage(folder) ? folder : find(parent);
    known.set(folder, found);
    return found;
  };
  return new Set(files.map((file) => find(file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '')));
}

/** Text for people cannot break anything: a change of it alone does not make the whole project be validated. */
export function isProse(file: string): boolean {
  return /(?:^|\/)(?:license|notice|authors|changelog)[^/]*$|\.(?:md|markdown|txt|rst|adoc)$/i.test(file);
}
