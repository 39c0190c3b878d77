/** Parts are named after a prefix, and get an ending. */
import type { Check } from '../language.ts';

/** Refuses endings that lead elsewhere. */
export const check: Check = {
  check({ flags }, meaning) {
    for (const word of flags.get('--additional-suffix') ?? [])
      if (!/^[\w.-]+$/.test(word.value ?? '')) meaning.refuse('the ending of parts', word);
  },
};
