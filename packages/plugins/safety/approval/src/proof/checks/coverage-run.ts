/** `coverage run FILE`, `coverage run -m MODULE`. */
import type { Check } from '../language.ts';
import { runModule } from '../languages/python.ts';
import { readFrameworkTask } from './framework-task.ts';
import { readProgramWords } from './program-words.ts';

/** What is measured. */
export const check: Check = {
  check({ flags, operands: [first, ...rest] }, meaning) {
    if (first?.value === undefined) return meaning.refuse('a file that is only known when it runs', first);
    if (flags.has('-m')) runModule(first.value, rest, meaning);
    else {
      if (!readFrameworkTask(first.value, rest, meaning)) readProgramWords(rest, meaning);
      meaning.role('file-of-code', first);
    }
  },
};
