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
});
