import { defineErrors } from '@tenon/kernel';

/** What can go wrong with accounts. */
export const errors = defineErrors('accounts', {
  ACCOUNTS_EXHAUSTED: {
    summary: 'All accounts of {vendor} are used up; the first is free again at {until}.',
    next: 'Wait, add another with `tenon account add`, or choose another worker with --worker.',
  },
});
