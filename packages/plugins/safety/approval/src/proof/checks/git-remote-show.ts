/** `git remote show` lists names; with one it asks that repository, but for -n. */
import type { Check } from '../language.ts';

/** Remotes. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (operands.length > 0 && !flags.has('-n')) meaning.add(2, 'asks another repository');
  },
};
