/** `git tag`: a name without a flag that lists makes a tag. */
import type { Check } from '../language.ts';

/** Tags. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (operands.length > 0 && !['-l', '-n', '-v', '--contains'].some((flag) => flags.has(flag)))
      meaning.add(1, 'makes or changes a tag');
  },
};
