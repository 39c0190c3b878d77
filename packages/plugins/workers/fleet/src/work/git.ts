/** Git for files that travel. No hook, filter or helper of a repository is run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitReason, type GitRunOptions, repositoriesInIndex, runGit, withoutFilters } from '@tenon/host';
import { errors } from '../errors.ts';

/** Commits that only carry files are nobody's, and the same files give the same commit. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'tenon',
  GIT_AUTHOR_EMAIL: 'tenon@localhost',
  GIT_COMMITTER_NAME: 'tenon',
  GIT_COMMITTER_EMAIL: 'tenon@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_DATE: '@0 +0000',
};

/** Runs git; a failure is an error of the fleet. */
export async function git(
  folder: string,
  args: readonly string[],
  options: GitRunOptions = {},
): Promise<{ readonly text: string; readonly bytes: Buffer }> {
  const done = await runGit(folder, args, { ...options, env: { ...NOBODY, ...options.env } });
  if (done.code !== 0) throw errors.create('FLEET_BUNDLE', { reason: gitReason(done) });
  return { text: done.out.trim(), bytes: done.bytes };
}

/** A scratch folder for as long as `work` takes. */
export async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-fleet-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What lies in a checkout, committed or not, as a commit: HEAD itself when nothing else is there. Files that git ignores stay out. */
export async function commitOf(folder: string, options: { readonly withHistory: boolean }): Promise<string> {
  const settings = (await withoutFilters(folder)) ?? [];
  const head = (await git(folder, ['rev-parse', '--verify', 'HEAD^{commit}'])).text;
  return withScratch(async (scratch) => {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    await git(folder, ['read-tree', 'HEAD'], { env });
    // Git would look into repositories of the checkout and run what their settings name.
    const nested = ((await repositoriesInIndex(folder, { env })) ?? []).map((path) => `:(top,exclude,literal)${path}`);
    await git(folder, ['add', '--all', '--', ':/', ...nested], { env, settings });
    const tree = (await git(folder, ['write-tree'], { env })).text;
    const isCommitted = tree === (await git(folder, ['rev-parse', 'HEAD^{tree}'])).text;
    if (isCommitted && options.withHistory) return head;
    const parents = options.withHistory ? ['-p', head] : [];
    return (await git(folder, ['commit-tree', tree, ...parents, '-m', 'tenon'])).text;
  });
}
