/** `service NAME status`: everything else changes services. */
import type { Check } from '../language.ts';

/** A service. */
export const check: Check = {
  check({ operands }, meaning) {
    if (operands.length !== 2 || operands[1]?.value !== 'status') meaning.add(2, 'changes services of the machine');
  },
};
