/** pandoc fetches addresses, and runs other programs to make PDF. */
import type { Check } from '../language.ts';

/** Refuses both. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    for (const word of operands)
      if (word.value === undefined || word.value.includes(':')) meaning.refuse('an address', word);
    for (const word of flags.get('-o') ?? [])
      if (word.value === undefined || !/\.(?:md|html?|docx|odt|txt|rst|json|tex|org|epub)$/.test(word.value))
        meaning.refuse('a format that pandoc may need other programs for', word);
  },
};
