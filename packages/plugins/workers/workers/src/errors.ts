import { defineErrors } from '@tenon/kernel';

/** What can go wrong with workers. */
export const errors = defineErrors('workers', {
  WORKERS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no worker "{name}".{hint}',
    next: 'Run `tenon worker list`.',
  },
  WORKERS_OPTION: {
    exit: 'usage',
    summary: 'The option "{option}" of the worker {worker} cannot be used: {reason}',
    next: 'Run `tenon worker capabilities {worker}`, or see `tenon read docs://reference/workers/{worker}.md`.',
  },
  WORKERS_CUSTOM: {
    exit: 'usage',
    summary: 'The setting workers.custom.{name}.{key} cannot be used: {reason}',
    next: 'Correct it with `tenon config edit`; `tenon read docs://guide/workers.md` has examples.',
  },
  WORKERS_CUSTOM_NAME: {
    exit: 'usage',
    summary: 'A worker cannot be called "{name}".',
    next: 'Use small letters, digits and dashes under workers.custom.',
  },
  WORKERS_FAILED_TO_LOAD: {
    summary: 'The worker "{name}" cannot be used: {reason}',
    next: 'Correct what brings it ({source}), or choose another worker with --worker.',
  },
});
