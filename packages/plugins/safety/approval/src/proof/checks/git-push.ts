/** `git push`: refspecs that overwrite or delete what others have. */
import type { Check } from '../language.ts';

/** Refspecs. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const { prefix } of operands) {
      if (prefix.startsWith('+')) meaning.add(3, 'overwrites the history that others have');
      if (prefix.startsWith(':')) meaning.add(3, 'deletes branches or tags of others');
    }
  },
};
