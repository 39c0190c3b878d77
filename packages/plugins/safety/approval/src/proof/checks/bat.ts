/** `bat cache` is a subcommand, and not a file. */
import type { Check } from '../language.ts';

/** Refuses the subcommand. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands)
      if (word.value === undefined ? word.below === undefined : word.value === 'cache')
        meaning.refuse('a subcommand of bat', word);
  },
};
