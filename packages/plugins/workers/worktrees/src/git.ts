/** Git for worktrees. Hooks do not run: most of what is looked at here was written by an agent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gitReason, type GitRun, runGit } from '@tenon/host';
import { errors } from './errors.ts';

export type { GitRun };

/** Another git has written only a part of its new worktree; a moment later it is whole. */
export const HALF_MADE = /failed to read .*worktrees\/.*\/(?:commondir|gitdir|HEAD)/i;
const HALF_MADE_MS = 5000;

/** Runs git in a folder; any end is an answer. Submodules may come from repositories of this machine. */
export async function tryGit(folder: string, ...args: readonly string[]): Promise<GitRun> {
  const deadline = Date.now() + HALF_MADE_MS;
  for (let attempt = 1; ; attempt++) {
    const run = await runGit(folder, args, { protocols: 'file' });
    if (run.fault === 'missing') throw errors.create('WORKTREES_NO_GIT', {});
    // What makes a branch may have made it before it failed, so it must not simply run again.
    if (run.code === 0 || Date.now() > deadline || args.includes('-b') || !HALF_MADE.test(run.err)) return run;
    await sleep(30 * attempt);
  }
}

/** What git prints, without the line break at the end; an error when it fails. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const run = await tryGit(folder, ...args);
  if (run.code === 0) return run.out.replace(/\n$/, '');
  throw errors.create('WORKTREES_GIT', { command: args.join(' '), reason: gitReason(run), folder });
}

/** Large files count as they are in the repository: as pointers. */
export const WITHOUT_LFS: readonly string[] = ['smudge=', 'clean=', 'process=', 'required=false'].flatMap((setting) => [
  '-c',
  `filter.lfs.${setting}`,
]);

/**
 * What differs from the last commit, as `git status -z` lists it; also where Git LFS is configured and not installed. Git must not look
 * into repositories in the folder by itself: it would run what their settings name, and a sandboxed program may have written those.
 */
export async function listChanges(folder: string, ...options: readonly string[]): Promise<string> {
  const args = ['status', '--porcelain=v1', '-z', '--ignore-submodules=dirty', ...options];
  const run = await tryGit(folder, ...args);
  if (run.code === 0) return run.out;
  return /filter 'lfs' failed/.test(run.err) ? git(folder, ...WITHOUT_LFS, ...args) : git(folder, ...args);
}
