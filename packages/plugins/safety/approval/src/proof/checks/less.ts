/** less and more run commands that begin with a plus: `less +!id`. */
import type { Check } from '../language.ts';

/** Refuses them, except for places in the text. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands)
      if (word.prefix === '' || (word.prefix.startsWith('+') && !/^\+(?:\d+g?|G|\/[\w ]+)$/.test(word.value ?? '')))
        meaning.refuse('the first command', word);
  },
};
