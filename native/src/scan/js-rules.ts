/** The ignore rules of the walk; the same sources and precedence as in crates/scan/src/rules.rs. */
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EntryKind } from './contract.ts';
import { type GitConfig, type OnProblem, readGitConfig, repositoryAt } from './js-git-config.ts';
import { ignoreFile, type IgnoreFile, type Verdict } from './js-ignore-file.ts';
import { bytesAsText, systemPath } from './js-names.ts';

/** The rule files of one folder, linked to those of the folders above. */
export interface Layer {
  readonly folder: string;
  /** True where the repository ignores the case of letters. */
  readonly fold: boolean;
  readonly dotIgnore: IgnoreFile | undefined;
  readonly gitignore: IgnoreFile | undefined;
  /** Set where a repository starts: its `info/exclude`, and the file that `core.excludesFile` names. */
  readonly repository: { readonly own: IgnoreFile | undefined; readonly user: IgnoreFile | undefined } | undefined;
  readonly parent: Layer | undefined;
}

/** Everything about rules that a walk knows before it reads its root. */
export interface Outside {
  readonly root: string;
  readonly layer: Layer | undefined;
  /** What counts where there is no repository: the user's excludes file, relative to the root. */
  readonly user: IgnoreFile | undefined;
  readonly fold: boolean;
}

/** The kind of an entry of a folder, if it has one of that name. */
type KindOf = (name: string) => EntryKind | undefined;

/** Reads the rule files between the repository's top and `root`. */
export function outsideRules(root: string, onProblem: OnProblem): Outside {
  const none: Outside = { root, layer: undefined, user: undefined, fold: false };
  if (repositoryAt(root)) return none;
  const above = ancestors(root);
  const top = above.findIndex((folder) => repositoryAt(folder) !== undefined);
  if (top === -1) {
    const config = readGitConfig(undefined, root, onProblem);
    return { ...none, fold: config.ignoreCase, user: userRules(config, onProblem) };
  }
  let layer: Layer | undefined;
  for (const folder of above.slice(0, top + 1).toReversed()) {
    layer = folderRules(none, folder, (name) => kindOnDisk(join(folder, name)), layer, onProblem);
  }
  return { ...none, layer };
}

/** The layer of a folder, or its parent's when it has no rule files. */
export function folderRules(
  outside: Outside,
  folder: string,
  kindOf: KindOf,
  parent: Layer | undefined,
  onProblem: OnProblem,
): Layer | undefined {
  const repository = kindOf('.git') === undefined ? undefined : repositoryAt(folder);
  const dotIgnore = kindOf('.ignore');
  // Git does not follow a link here: what it leads to is not part of the tree.
  const hasGitignore = kindOf('.gitignore') === 'file';
  const hasDotIgnore = dotIgnore === 'file' || dotIgnore === 'symlink';
  if (!repository && !hasDotIgnore && !hasGitignore) return parent;
  const config = repository && readGitConfig(repository, folder, onProblem);
  const fold = config?.ignoreCase ?? parent?.fold ?? outside.fold;
  return {
    folder,
    fold,
    dotIgnore: hasDotIgnore ? readRules(join(folder, '.ignore'), false, onProblem) : undefined,
    gitignore: hasGitignore ? readRules(join(folder, '.gitignore'), fold, onProblem) : undefined,
    repository: repository && {
      own: readRules(join(repository.commonDir, 'info', 'exclude'), fold, onProblem),
      user: config && userRules(config, onProblem),
    },
    parent,
  };
}

/** True when the rules hide the entry at an absolute path. */
export function hides(outside: Outside, layer: Layer | undefined, path: string, isFolder: boolean): boolean {
  const judge = (rules: IgnoreFile | undefined, folder: string): Verdict =>
    rules?.verdict(bytesAsText(path.slice(folder.endsWith('/') ? folder.length : folder.length + 1)), isFolder);
  for (let at = layer; at; at = at.parent) {
    const verdict = judge(at.dotIgnore, at.folder);
    if (verdict !== undefined) return verdict;
  }
  for (let at = layer; at; at = at.parent) {
    const verdict = judge(at.gitignore, at.folder);
    if (verdict !== undefined) return verdict;
    if (at.repository) return judge(at.repository.own, at.folder) ?? judge(at.repository.user, at.folder) ?? false;
  }
  return judge(outside.user, outside.root) ?? false;
}

function userRules({ excludesFile, ignoreCase }: GitConfig, onProblem: OnProblem): IgnoreFile | undefined {
  return excludesFile === undefined ? undefined : readRules(excludesFile, ignoreCase, onProblem);
}

function readRules(file: string, fold: boolean, onProblem: OnProblem): IgnoreFile | undefined {
  try {
    return ignoreFile(readFileSync(systemPath(file)), fold);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'EISDIR' && code !== 'ENOTDIR') onProblem(file, error);
    return undefined;
  }
}

function kindOnDisk(path: string): EntryKind | undefined {
  try {
    const stat = lstatSync(systemPath(path), { throwIfNoEntry: false });
    if (!stat) return undefined;
    return stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'symlink' : 'directory';
  } catch {
    // Not allowed to look: nothing that could be read lies there either.
    return undefined;
  }
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestors(parent)];
}
