/** What others may use of worktrees: the service, and how a run of the command line enters one. */
import { service } from '@tenon/kernel';

export { errors } from './errors.ts';
export { changedRepositories } from './nested-repositories.ts';
export { wantsWorktree, type WorktreeMode } from './wants-worktree.ts';
export { enterWorktree, type EnteredWorktree, worktreeFlag } from './enter.ts';

/** A folder of its own, made from a commit of a repository: with a branch of its own, or with none. */
export interface Worktree {
  readonly name: string;
  readonly folder: string;
  /** Absent when it was made without one: its HEAD is detached. */
  readonly branch?: string;
  /** Who keeps it beyond the life of a process: the id of a run. */
  readonly holder?: string;
  /** The repository's shared git folder, which says whose it is. */
  readonly repository: string;
  /** The commit that it was made from. */
  readonly base: string;
  /** When it was made, ISO 8601. */
  readonly since: string;
}

/** What a worktree holds. */
export interface WorktreeStatus {
  /** `gone` when its folder was removed by somebody else. */
  readonly state: 'present' | 'gone';
  /** Files that were changed, added or removed and not committed. Files that git ignores do not count. */
  readonly changes: number;
  /** Commits since it was made. */
  readonly commits: number;
  /** Those of them that are on no other branch, tag or remote. */
  readonly onlyHere: number;
  /** A merge, rebase or the like that is under way. */
  readonly operation?: string;
  /** True when nothing was done in it: no change, no commit, its branch and HEAD where they were. */
  readonly isUntouched: boolean;
}

/** A worktree that was made or found, and what there is to know about it. */
export interface MadeWorktree {
  readonly worktree: Worktree;
  /** True when it was there before. */
  readonly isReused: boolean;
  /** Sentences for the user: uncommitted changes that are not in it, submodules that are not checked out. */
  readonly notices: readonly string[];
}

/** How a worktree is made. */
export interface WorktreeOptions {
  /** A branch of its own, or none; the setting `worktrees.checkout` when absent. */
  readonly checkout?: 'branch' | 'detached';
  /** The commit that it is made from; the one that the folder is at when absent. */
  readonly base?: string;
  /** Keeps it until `release`, also when this process ends. */
  readonly holder?: string;
}

/** What cleaning up did with a worktree, or would do. */
export interface CollectedWorktree {
  readonly worktree: Worktree;
  readonly isRemoved: boolean;
  /** Why it goes, or what keeps it. */
  readonly reason: string;
}

/** What was removed. */
export interface RemovedWorktree {
  readonly worktree: Worktree;
  /** The last commit of its branch, when commits were lost with it. */
  readonly lost?: string;
}

/** Worktrees of Tenon. Those that the user makes with git are not touched. */
export interface Worktrees {
  /** Makes a worktree of the repository around `cwd`, or finds it again; without a name it gets one. It counts as in use until `release`. */
  create(cwd: string, name?: string, options?: WorktreeOptions): Promise<MadeWorktree>;
  /** Whether a task is better done in a worktree: by the wish, by the setting `worktrees.mode`, or by what the task looks like. */
  wants(task: string, wish: 'auto' | boolean, options?: { readonly isBusy?: boolean }): boolean;
  /** Installs the dependencies of the project as the setting `worktrees.install` says. Gives a sentence for the user, or nothing when there is nothing to do. */
  install(
    worktree: Worktree,
    call: { readonly signal: AbortSignal; output?(text: string): void },
  ): Promise<string | undefined>;
  /** Those of the repository around `cwd`; all without a folder, or where there is no repository. */
  list(cwd?: string): Promise<readonly Worktree[]>;
  status(worktree: Worktree): Promise<WorktreeStatus>;
  /** Removes one with its branch. Work in it makes that an error, unless `force`. */
  remove(worktree: Worktree, options?: { readonly force?: boolean }): Promise<RemovedWorktree>;
  /** The run in it is over: an untouched one is removed. Gives what it holds, and whether it is gone. */
  release(worktree: Worktree): Promise<{ readonly status: WorktreeStatus; readonly isRemoved: boolean }>;
  /** Removes all that nobody uses and in which nothing was done. Whatever is work stays. */
  collect(options: { readonly dryRun: boolean }): Promise<readonly CollectedWorktree[]>;
}

/** Worktrees for runs of agents. */
export const worktrees = service<Worktrees>('worktrees');
