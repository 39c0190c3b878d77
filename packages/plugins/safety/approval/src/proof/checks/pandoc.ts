/** pandoc fetches addresses, also those of pictures that go into a document, includes other files, and runs programs to make PDF. */
import type { Check } from '../language.ts';

/** Refuses what it could do so for. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    for (const word of operands)
      if (word.value === undefined || !/^[^:]+\.(?:md|markdown|html?|txt|json|csv|docx|ipynb)$/.test(word.value))
        meaning.refuse('what pandoc reads', word);
    for (const word of flags.get('-o') ?? [])
      if (word.value === undefined || !/\.(?:md|html?|txt|rst|json|tex|org)$/.test(word.value))
        meaning.refuse('a format that pandoc may need other programs for', word);
  },
};
