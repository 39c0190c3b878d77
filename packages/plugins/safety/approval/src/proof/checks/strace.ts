/** strace runs what stands behind `-o |` and changes what its program gets with `-e inject=…`. */
import type { Check } from '../language.ts';

/** Refuses both. */
export const check: Check = {
  check({ flags }, meaning) {
    for (const word of flags.get('-o') ?? [])
      if (word.prefix === '' || /^[|!]/.test(word.prefix)) meaning.refuse('where strace writes to', word);
    for (const word of flags.get('-e') ?? [])
      if (!/^(?:(?:trace|signal|status|verbose|read|write)=)?[\w,%!]+$/.test(word.value ?? ''))
        meaning.refuse('an expression of strace', word);
  },
};
