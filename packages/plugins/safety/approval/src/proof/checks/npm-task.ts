/** `npm run TASK -- …`, `npm test -- …`: the words behind a task go to its programs. */
import type { Check } from '../language.ts';
import { checkWords } from './npm.ts';
import { kindOfTask, readProgramWords } from './program-words.ts';

/** A task and its words. */
export const check: Check = {
  check(call, meaning) {
    checkWords(call, meaning);
    const [task, ...words] = call.operands;
    if (call.path[1]?.startsWith('run')) readProgramWords(words, meaning, kindOfTask(task?.value));
    else readProgramWords(call.operands, meaning, 'tests');
  },
};
