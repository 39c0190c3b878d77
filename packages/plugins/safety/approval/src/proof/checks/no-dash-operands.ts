/** What begins with a dash behind `--` goes to another program; behind an `@` stands a file with more words. */
import type { Check } from '../language.ts';

/** Words for another program. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands)
      if (!/^[^-@]/.test(word.prefix))
        meaning.refuse(`${word.value ?? 'a word'}, which is handed to another program`, word);
  },
};
