/** `concurrently`: every word is a command line, or `npm:task`. */
import type { Check } from '../language.ts';

/** Commands. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands) {
      const [, task] = /^(?:npm|pnpm|yarn|bun|node):([\w:*-]+)$/.exec(word.value ?? '') ?? [];
      if (task !== undefined) meaning.text('task', task);
      else meaning.role('script', word);
    }
  },
};
