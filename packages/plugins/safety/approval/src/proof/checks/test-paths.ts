/** `rspec a_spec.rb:12`: the files are run, wherever they are. */
import type { Check } from '../language.ts';

/** Files with lines. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands) {
      if (word.value === undefined) return meaning.refuse('a test that is only known when it runs', word);
      meaning.text('file-of-code', word.value.replace(/(:\d+)+$|\[[\d:,]+\]$/, ''));
    }
  },
};
