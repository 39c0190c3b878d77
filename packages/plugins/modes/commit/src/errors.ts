import { defineErrors } from '@tenon/kernel';

/** What can be wrong with a commit. */
export const errors = defineErrors('commit', {
  COMMIT_NO_GIT: {
    summary: 'git was not found.',
    next: 'Install git, or put it on the PATH.',
  },
  COMMIT_NO_REPOSITORY: {
    summary: '{folder} is in no git repository.',
    next: 'Go to a repository, or make one with `git init`.',
    exit: 'usage',
  },
  COMMIT_NOTHING_STAGED: {
    summary: 'Nothing is staged.{state}',
    next: '{advice}',
    exit: 'usage',
  },
  COMMIT_CONFLICTS: {
    summary: 'There are unresolved conflicts: {files}.',
    next: 'Resolve them, stage the files with `git add`, and run the command again.',
    exit: 'usage',
  },
  COMMIT_SECRET: {
    summary:
      'The staged changes hold what looks like a secret, so nothing was committed and nothing was sent to a model:\n{findings}',
    next: 'Take it out and stage the file again. If it is not one, commit with `git commit`.',
  },
  COMMIT_MODEL: {
    summary: '{model} gave no message: {reason}',
    next: 'Try again, name another model with --model, or use --offline for a message by fixed rules.',
  },
  COMMIT_REFUSED: {
    summary: 'git made no commit: {reason}',
    next: 'Fix what the hook or git reports, and run the command again. What is staged is as it was{made}.',
  },
  COMMIT_DECLINED: {
    summary: 'Nothing was committed; what is staged is as it was.',
    next: 'Run the command again for another proposal, or commit with `git commit`.',
  },
  COMMIT_GIT: {
    summary: '`git {command}` failed: {reason}',
    next: 'Run it by hand to see more.',
  },
});
