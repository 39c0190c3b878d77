/** `npm config`: everything but looking changes the user's file. */
import type { Check } from '../language.ts';
import { checkWords } from './npm.ts';

/** Settings of npm. */
export const check: Check = {
  check(call, meaning) {
    checkWords(call, meaning);
    const [verb] = call.operands;
    if (!/^(get|ls|list)$/.test(verb?.value ?? '')) meaning.add(2, 'changes the configuration of the user');
  },
};
