/** `curl`: it needs an address, and `-O` writes a file of the address's name. */
import type { Check } from '../language.ts';

/** A request. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (operands.length === 0 && !flags.has('--url')) meaning.refuse('`curl` without an address');
    if (!flags.has('-O')) return;
    for (const { value } of operands) {
      const name =
        value
          ?.replace(/[?#].*$/s, '')
          .split('/')
          .at(-1) ?? '';
      if (!/^\w[\w.-]*$/.test(name)) return meaning.refuse('a file whose name comes from the address');
      meaning.text('write', name);
    }
  },
};
