/** `crontab -l` looks; every other form changes what runs later. */
import type { Check } from '../language.ts';

/** Jobs that run by time. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (!flags.has('-l') || operands.length > 0) meaning.add(2, 'makes something run later');
  },
};
