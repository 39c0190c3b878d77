/** top waits for keys unless it is told not to. */
import type { Check } from '../language.ts';

/** Refuses what would wait. */
export const check: Check = {
  check({ flags }, meaning) {
    if (!flags.has('-b') && !flags.has('-l')) meaning.refuse('top without -b');
  },
};
