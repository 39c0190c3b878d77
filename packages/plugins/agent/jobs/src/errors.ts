import { defineErrors } from '@tenon/kernel';

/** What can be wrong with background work. */
export const errors = defineErrors('jobs', {
  JOBS_TOO_MANY: {
    summary: 'There are already {count} background jobs running, which is the limit.',
    next: 'Wait for one with the job tool, or cancel one.',
  },
  JOBS_CLOSED: {
    summary: 'No background job can be started: {reason}.',
    next: 'Run the command in the foreground.',
  },
  JOBS_UNKNOWN: {
    summary: 'There is no job {id}; known jobs: {known}.',
    next: 'Use `list` to see all jobs. Jobs that ended long ago are forgotten.',
  },
  JOBS_LIST_ALONE: {
    summary: '`list` cannot be combined with `poll`, `cancel` or `output`.',
    next: 'Call the tool with `list` alone.',
  },
});
