/** `yarn workspaces foreach run TASK`. */
import type { Check } from '../language.ts';
import { runTask } from './package-task.ts';

/** A task in every package. */
export const check: Check = {
  check({ operands: [verb, ...words] }, meaning) {
    if (verb?.value !== 'run') return meaning.refuse('what runs in every package', verb);
    runTask(words, meaning);
  },
};
