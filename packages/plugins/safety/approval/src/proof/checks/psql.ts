/** `psql`: without -c or -l, it reads SQL that nobody sees. */
import type { Check } from '../language.ts';

/** Where SQL comes from. */
export const check: Check = {
  check({ flags }, meaning) {
    if (!flags.has('-c') && !flags.has('-l')) meaning.refuse('SQL that `psql` reads from its input');
  },
};
