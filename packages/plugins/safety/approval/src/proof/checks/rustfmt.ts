/** What stands behind `cargo fmt --` goes to rustfmt. */
import type { Check } from '../language.ts';

/** Flags of rustfmt. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands)
      if (
        !/^(--check|-l|--files-with-diff|--edition(=\d+)?|\d{4}|--color(=\w+)?|-v|-q|--quiet|--verbose)$/.test(
          word.value ?? '',
        )
      )
        meaning.refuse(`${word.value ?? ''}, which is handed to rustfmt`, word);
  },
};
