/** man reads pages by name only; a path would be any file. */
import type { Check } from '../language.ts';

/** Refuses paths. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands)
      if (word.value === undefined || !/^[\w.+:[-]+$/.test(word.value)) meaning.refuse('what man is to show', word);
  },
};
