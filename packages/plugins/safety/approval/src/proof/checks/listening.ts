/** `vite --host`: a server that is told no address listens at all of them. */
import type { Check } from '../language.ts';

/** Where a server listens. */
export const check: Check = {
  check({ flags }, meaning) {
    if (flags.get('--host')?.length === 0) meaning.refuse('a server that others could reach');
  },
};
