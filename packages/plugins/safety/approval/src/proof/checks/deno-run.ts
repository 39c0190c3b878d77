/** `deno run`: an address is code from elsewhere. */
import type { Check } from '../language.ts';
import { readProgramWords } from './program-words.ts';

/** What deno runs. */
export const check: Check = {
  check({ operands: [file, ...words] }, meaning) {
    readProgramWords(words, meaning);
    if (/^[a-z][\w+.-]*:/i.test(file?.prefix ?? '')) meaning.add(3, 'runs code from elsewhere');
  },
};
