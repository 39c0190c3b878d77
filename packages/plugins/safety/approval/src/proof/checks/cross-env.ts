/** `cross-env NAME=value … COMMAND`. */
import type { Check } from '../language.ts';

/** Variables, then a command. */
export const check: Check = {
  check({ operands }, meaning) {
    const at = operands.findIndex(({ prefix }) => !/^[A-Za-z_]\w*=/.test(prefix));
    if (at < 0) return meaning.refuse('`cross-env` without a command');
    for (const word of operands.slice(0, at)) meaning.role('assignment', word);
    meaning.command(operands.slice(at));
  },
};
