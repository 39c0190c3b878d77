/** `git restore`: without --staged alone, it overwrites files. */
import type { Check } from '../language.ts';

/** What is restored. */
export const check: Check = {
  check({ flags }, meaning) {
    if (!flags.has('-S') || flags.has('-W')) meaning.add(2, 'throws away changes that were not committed');
  },
};
