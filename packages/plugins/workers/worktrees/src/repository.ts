/** Facts about the repository around a folder. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { errors } from './errors.ts';
import { git, tryGit } from './git.ts';

/** A repository as it is seen from one of its folders. */
export interface Repository {
  /** The git folder that all its worktrees share. */
  readonly common: string;
  /** A name for folders: that of the repository, and a few letters that tell it from others of the same name. */
  readonly key: string;
  /** From the top of the working tree to the folder; empty at the top and in a bare repository. */
  readonly below: string;
  /** False in a bare repository. */
  readonly hasFiles: boolean;
}

/** The repository around a folder; nothing where there is none. */
export async function findRepository(folder: string): Promise<Repository | undefined> {
  const found = await tryGit(folder, 'rev-parse', '--git-common-dir', '--is-inside-work-tree', '--show-prefix');
  if (found.code !== 0) return undefined;
  const [dir = '', inside = '', prefix = ''] = found.out.split('\n');
  const common = realpathSync(resolve(folder, dir));
  // `repo/.git` is the repository "repo"; a bare one has the name itself, often with `.git` at the end.
  const name = basename(common) === '.git' ? basename(dirname(common)) : basename(common).replace(/\.git$/, '');
  const hash = createHash('sha256').update(common).digest('hex').slice(0, 8);
  const key = `${name.replaceAll(/[^\w.-]/g, '_') || 'repository'}-${hash}`;
  return { common, key, below: prefix.replace(/\/$/, ''), hasFiles: inside === 'true' };
}

/** The same, where there must be one. */
export async function requireRepository(folder: string): Promise<Repository> {
  const repository = await findRepository(folder);
  if (!repository) throw errors.create('WORKTREES_NO_REPOSITORY', { folder });
  return repository;
}

/** The commit that a name means, or that the folder is at. */
export async function requireCommit(folder: string, repository: Repository, name?: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name ?? 'HEAD'}^{commit}`];
  const { code, out } = await tryGit(folder, ...args);
  if (code !== 0 && name !== undefined)
    throw errors.create('WORKTREES_BASE', { base: name, repository: repository.common });
  if (code !== 0) throw errors.create('WORKTREES_NO_COMMIT', { repository: repository.common });
  return out.trim();
}

/** One worktree as git lists it. */
export interface ListedWorktree {
  readonly folder: string;
  readonly branch?: string;
}

/** What git knows of the worktrees of a repository. */
export async function gitWorktrees(common: string): Promise<readonly ListedWorktree[]> {
  const text = await git(common, 'worktree', 'list', '--porcelain', '-z');
  return text.split('\0\0').flatMap((block) => {
    const fields = new Map(block.split('\0').map((line) => line.split(/ (.*)/s, 2) as [string, string]));
    const folder = fields.get('worktree');
    const branch = fields.get('branch')?.replace('refs/heads/', '');
    return folder === undefined ? [] : [{ folder, ...(branch !== undefined && { branch }) }];
  });
}
