/** fzf waits for keys, and runs programs on them, unless it only filters. */
import type { Check } from '../language.ts';

/** Refuses what would wait. */
export const check: Check = {
  check({ flags }, meaning) {
    if (!flags.has('-f')) meaning.refuse('fzf without --filter');
  },
};
