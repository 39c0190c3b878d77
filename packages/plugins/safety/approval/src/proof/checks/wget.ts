/** `wget` writes a file of the address's name, if it is not told another. */
import type { Check } from '../language.ts';

/** A download. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (flags.has('-O') || flags.has('--spider')) return;
    for (const { value } of operands) {
      const name =
        value
          ?.replace(/[?#].*$/s, '')
          .split('/')
          .slice(3)
          .at(-1) || 'index.html';
      if (!/^\w[\w.-]*$/.test(name)) return meaning.refuse('a file whose name comes from the address');
      meaning.text('write', name);
    }
  },
};
