import { defineErrors } from '@tenon/kernel';

/** What can go wrong with workers. */
export const errors = defineErrors('workers', {
  WORKERS_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no worker "{name}".{hint}',
    next: 'Run `tenon worker list`.',
  },
});
