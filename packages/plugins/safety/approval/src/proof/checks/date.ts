/** An operand of date that is no format sets the clock. */
import type { Check } from '../language.ts';

/** Finds it. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands) if (!word.prefix.startsWith('+')) meaning.add(2, 'sets the clock');
  },
};
