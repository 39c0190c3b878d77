/**
 * Stages every change of tracked files. `git add --update` would look into repositories of the checkout and run what their settings name,
 * and a sandboxed program may have written those: only the commit that they are at is read.
 */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoriesInIndex, runGit } from '@tenon/host';
import { errors } from './errors.ts';
import type { Git } from './git.ts';

/** Stages them, in the index that `env` names. */
export async function stageTracked(git: Git, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const nested = await repositoriesInIndex(git.folder, { env, keepPlace: true });
  if (nested === undefined) throw errors.create('COMMIT_GIT', { command: 'ls-files', reason: 'the index is damaged' });
  const input = [':/', ...nested.map((path) => `:(top,exclude,literal)${path}`)].join('\0');
  await git.run(['add', '--update', '--pathspec-from-file=-', '--pathspec-file-nul'], { env, input });
  for (const path of nested) {
    const folder = join(git.folder, path);
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) {
      await git.run(['update-index', '--force-remove', '--', path], { env });
      continue;
    }
    // One that is not checked out has no `.git` and stays as it is.
    if (!lstatSync(join(folder, '.git'), { throwIfNoEntry: false })) continue;
    // A `.git` that is none would lead git to the repository around it.
    const inside = { GIT_CEILING_DIRECTORIES: dirname(folder) };
    const head = await runGit(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { env: inside });
    if (head.code === 0) await git.run(['update-index', '--cacheinfo', `160000,${head.out.trim()},${path}`], { env });
  }
}
