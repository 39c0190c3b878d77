import { defineErrors } from '@tenon/kernel';

/** What can go wrong with runs. */
export const errors = defineErrors('runs', {
  RUNS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no run "{name}".{hint}',
    next: 'Run `tenon runs list`.',
  },
  RUNS_STATE: {
    exit: 'usage',
    summary: 'The run {alias} is {state}, so you cannot {wish} it.',
    next: '{next}',
  },
  RUNS_PERSON_ONLY: {
    summary: 'The run {alias} works without a sandbox, so only a person can go on with it.',
    next: 'Start a run of your own, or ask the user to run `tenon runs send {alias}`.',
  },
  RUNS_NO_QUESTION: {
    exit: 'usage',
    summary: 'The run {alias} has no open question "{question}".{hint}',
    next: 'Run `tenon runs show {alias}`.',
  },
  RUNS_STORE: {
    summary: 'The runs in {place} cannot be read or written: {reason}',
    next: 'Check that the folder is writable and the disk has room. A damaged file can be moved away: only the list of runs is lost, not their work.',
  },
  RUNS_STORE_NEWER: {
    summary:
      'The runs in {place} were written by a newer Tenon (version {found} of the store; this one knows {known}).',
    next: 'Use the newer Tenon.',
  },
  RUNS_INPUT_NAME: {
    exit: 'usage',
    summary: '"{name}" cannot be the name of an input file.',
    next: 'Use a plain file name; "task.md" is taken.',
  },
  RUNS_CONTEXT: {
    exit: 'usage',
    summary: '{path} cannot be given to the worker: {reason}',
    next: 'Name a file or folder that exists and that you can read.',
  },
  RUNS_FLAG: {
    exit: 'usage',
    summary: '--{flag}{value}: {reason}',
    next: 'Correct it; `tenon run --help` shows how.',
  },
  RUNS_APPLY_CONFLICT: {
    summary: 'The changes of {alias} do not fit into {folder}: {files} was changed there, too. Nothing was changed.',
    next: 'Commit or stash your own changes and try again, or merge by hand: the work is in {worktree}.',
  },
  RUNS_APPLY_NESTED: {
    summary:
      'The changes of {alias} cannot be taken over, because a repository inside of the repository changed: {files}.',
    next: 'Take that part over by hand: the work is in {worktree}.',
  },
  RUNS_APPLY_GIT: {
    summary: 'git could not take the changes of {alias} over: {reason}',
    next: 'Take them over by hand: the work is in {worktree}.',
  },
  RUNS_QUEUE: {
    exit: 'usage',
    summary: 'There is no queue "{name}" that was set up.{hint}',
    next: 'Set it up (`tenon fleet init`), or leave --fleet and the setting `runs.queue` out.',
  },
  RUNS_ELSEWHERE: {
    exit: 'usage',
    summary: 'The run {alias} works on another host ({host}), so you cannot {wish} it here.',
    next: 'Follow it with `tenon runs logs -f {alias}`.',
  },
  RUNS_NO_SESSION: {
    exit: 'usage',
    summary: '{worker} has no session of the run {alias} that could be opened.',
    next: 'Look at its output with `tenon runs logs {alias}`.',
  },
});
