/** What a worktree holds that would be lost with it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Worktree, WorktreeStatus } from './api.ts';
import { git, listChanges, tryGit } from './git.ts';
import { changedRepositories } from './nested-repositories.ts';

const OPERATIONS: readonly (readonly [file: string, name: string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** Looks at a worktree. */
export async function statusOf(worktree: Worktree): Promise<WorktreeStatus> {
  const { folder, branch, base, repository } = worktree;
  const tip = branch === undefined ? '' : await commitOf(repository, `refs/heads/${branch}`);
  if (!existsSync(join(folder, '.git'))) {
    const [commits, onlyHere] = [await count(repository, base, tip), await countOnlyHere(repository, branch, tip)];
    return { state: 'gone', changes: 0, commits, onlyHere, isUntouched: tip === base || tip === '' };
  }
  const listed = await listChanges(folder, '--untracked-files=all');
  const names = new Set(listed.split('\0').map((entry) => entry.slice(3)));
  const nested = (await changedRepositories(folder)).filter((path) => !names.has(path));
  const changes = changesIn(listed) + nested.length;
  const head = await commitOf(folder, 'HEAD');
  const gitFolder = await git(folder, 'rev-parse', '--absolute-git-dir');
  const operation = OPERATIONS.find(([file]) => existsSync(join(gitFolder, file)))?.[1];
  const commits = Math.max(await count(repository, base, tip), await count(repository, base, head));
  // HEAD may have left the branch: what only it leads to would be lost as well.
  const onlyHere = await countOnlyHere(repository, branch, tip, head);
  const isUntouched =
    changes === 0 && operation === undefined && head === base && (tip === base || branch === undefined);
  return { state: 'present', changes, commits, onlyHere, ...(operation !== undefined && { operation }), isUntouched };
}

async function commitOf(folder: string, name: string): Promise<string> {
  return (await tryGit(folder, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`)).out.trim();
}

/** Entries of `git status -z`: a renamed file has a second name behind it, which is no entry. */
export function changesIn(listed: string): number {
  const words = listed.split('\0').filter((word) => word !== '');
  let entries = 0;
  for (let index = 0; index < words.length; index++) {
    entries++;
    if (/^(?:[RC].|.[RC])/.test(words[index] ?? '')) index++;
  }
  return entries;
}

async function count(repository: string, from: string, to: string): Promise<number> {
  if (to === '') return 0;
  const { code, out } = await tryGit(repository, 'rev-list', '--count', to, `^${from}`);
  // A base that is gone (a repository that was made anew) is no reason to count nothing.
  return code === 0 ? Number(out) : Number(await git(repository, 'rev-list', '--count', to));
}

async function countOnlyHere(
  repository: string,
  branch: string | undefined,
  ...tips: readonly string[]
): Promise<number> {
  const own = tips.filter((tip) => tip !== '');
  if (own.length === 0) return 0;
  const others = [...(branch === undefined ? [] : [`--exclude=${branch}`]), '--branches', '--remotes', '--tags'];
  return Number(await git(repository, 'rev-list', '--count', ...own, '--not', ...others));
}

/** The status in words; empty when there is nothing. */
export function describeStatus({ changes, commits, onlyHere, operation }: WorktreeStatus): string {
  const plural = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const parts = [
    ...(changes > 0 ? [plural(changes, 'changed file')] : []),
    ...(commits > 0
      ? [`${plural(commits, 'commit')}${onlyHere > 0 ? ` (${onlyHere} on no other branch)` : ''}`]
      : onlyHere > 0
        ? [`${plural(onlyHere, 'commit')} on no other branch`]
        : []),
    ...(operation === undefined ? [] : [`a ${operation} under way`]),
  ];
  return parts.join(', ');
}
