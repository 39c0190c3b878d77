/** `cargo publish`: only with --dry-run it stays here. */
import type { Check } from '../language.ts';

/** Publishing. */
export const check: Check = {
  check({ flags }, meaning) {
    if (!flags.has('-n')) meaning.add(3, 'publishes, which cannot be taken back');
  },
};
