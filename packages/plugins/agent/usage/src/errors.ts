import { defineErrors } from '@tenon/kernel';

/** What can go wrong with the ledger. */
export const errors = defineErrors('usage', {
  USAGE_SINCE: {
    exit: 'usage',
    summary: '"{since}" is not a time.',
    next: 'Write a day (2026-11-01), or how far back: 30m, 24h, 7d, 4w.',
  },
  USAGE_NOT_WRITTEN: {
    summary: 'What the model used could not be written down: {reason}',
    next: 'Free disk space or correct the permissions of {folder}; until then `tenon stats` misses it.',
  },
});
