/** Programs that take addresses where they take files. */
import type { Check } from '../language.ts';

/** Refuses addresses. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands)
      if (word.value === undefined ? word.below === undefined : /^[\w+.-]+:/.test(word.value))
        meaning.refuse('an address', word);
  },
};
