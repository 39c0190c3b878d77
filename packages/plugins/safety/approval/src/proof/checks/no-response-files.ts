/** `@file`: words that stand in a file are not seen. */
import type { Check } from '../language.ts';

/** Words that stand in a file. */
export const check: Check = {
  check({ operands, flags }, meaning) {
    for (const word of [...operands, ...[...flags.values()].flat()])
      if (word.prefix.startsWith('@')) meaning.refuse('words that stand in a file', word);
  },
};
