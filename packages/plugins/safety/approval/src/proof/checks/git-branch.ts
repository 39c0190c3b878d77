/** `git branch`: a name without a flag that lists makes a branch. */
import type { Check } from '../language.ts';

/** Branches. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (operands.length > 0 && !flags.has('-l') && !flags.has('--contains'))
      meaning.add(1, 'makes or changes a branch');
  },
};
