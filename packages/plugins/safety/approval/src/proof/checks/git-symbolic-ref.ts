/** `git symbolic-ref`: with two names it writes. */
import type { Check } from '../language.ts';

/** A reference and what it points to. */
export const check: Check = {
  check({ operands }, meaning) {
    if (operands.length > 1) meaning.add(1, 'moves references');
  },
};
