import { defineErrors } from '@tenon/kernel';

/** What can go wrong with worktrees. */
export const errors = defineErrors('worktrees', {
  WORKTREES_NO_GIT: {
    exit: 'usage',
    summary: 'Worktrees need the program git, which was not found.',
    next: 'Install git, or leave out --worktree.',
  },
  WORKTREES_NO_REPOSITORY: {
    exit: 'usage',
    summary: '{folder} is not in a git repository, so it can have no worktree.',
    next: 'Run `git init` and make a commit, or leave out --worktree.',
  },
  WORKTREES_NO_COMMIT: {
    exit: 'usage',
    summary: 'The repository {repository} has no commit yet, so there is nothing that a worktree could start from.',
    next: 'Make a first commit.',
  },
  WORKTREES_NAME: {
    exit: 'usage',
    summary: '"{name}" cannot be the name of a worktree.',
    next: 'Use letters, digits, dots, dashes and underscores, at most 64, beginning with a letter or digit: fix-login.',
  },
  WORKTREES_TAKEN: {
    exit: 'usage',
    summary: 'A worktree "{name}" cannot be made: {reason}.',
    next: 'Choose another name.',
  },
  WORKTREES_IN_USE: {
    exit: 'usage',
    summary: 'Another Tenon (process {pid}) works in the worktree "{name}".',
    next: 'Wait for it to end, or choose another name.',
  },
  WORKTREES_HELD: {
    exit: 'usage',
    summary: 'The run {holder} keeps the worktree "{name}".',
    next: 'Remove the run with `tenon runs remove {holder}`, or the worktree with --force.',
  },
  WORKTREES_BASE: {
    exit: 'usage',
    summary: '"{base}" is not a commit of {repository}.',
    next: 'Name a branch, a tag or a commit.',
  },
  WORKTREES_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no worktree "{name}".{hint}',
    next: 'Run `tenon worktree list --all`.',
  },
  WORKTREES_HOLDS_WORK: {
    exit: 'usage',
    summary: 'The worktree "{name}" was not removed, because work would be lost: {work}.',
    next: 'Commit what is in {folder} and merge it ({merge}), or remove it with --force.',
  },
  WORKTREES_GIT: {
    summary: '`git {command}` failed: {reason}',
    next: 'Run it yourself in {folder} to see more.',
  },
  WORKTREES_RECORDS_INVALID: {
    summary: 'The list of worktrees in {file} cannot be read: {reason}',
    next: 'Correct the file, or delete it: `git worktree list` still shows them.',
  },
});
