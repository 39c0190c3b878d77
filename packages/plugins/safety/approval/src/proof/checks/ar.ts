/** `ar`: its first word is letters. */
import type { Check } from '../language.ts';

/** What is done with a library. */
export const check: Check = {
  check({ operands }, meaning) {
    const [letters] = operands;
    if (!/^[dmpqrstx][abcDfilNoOPsSTuUvV]*$/.test(letters?.value ?? ''))
      meaning.refuse(`the letters ${letters?.value ?? ''} of \`ar\``, letters);
    for (const word of operands) if (word.prefix.startsWith('@')) meaning.refuse('words that stand in a file', word);
  },
};
