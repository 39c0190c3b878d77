/** `just TASK …`, `composer run TASK …`: the words behind a task go to its programs. */
import type { Check } from '../language.ts';
import { kindOfTask, readProgramWords } from './program-words.ts';

/** Words of a task. */
export const check: Check = {
  check({ operands: [task, ...words] }, meaning) {
    readProgramWords(words, meaning, kindOfTask(task?.value));
  },
};
