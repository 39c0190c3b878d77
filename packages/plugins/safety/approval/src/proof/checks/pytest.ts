/** `pytest file::test`: the files are run, wherever they are. */
import type { Check } from '../language.ts';

/** Files and tests. */
export const check: Check = {
  check({ operands }, meaning) {
    for (const word of operands) {
      if (word.value === undefined) return meaning.refuse('a test that is only known when it runs', word);
      const [path = ''] = word.value.split('::');
      if (path.startsWith('@')) return meaning.refuse('words that stand in a file', word);
      if (path !== '') meaning.text('file-of-code', path);
    }
  },
};
