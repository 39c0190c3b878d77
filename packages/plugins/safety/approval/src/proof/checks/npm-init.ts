/** `npm init NAME` runs a package from the network. */
import type { Check } from '../language.ts';
import { checkWords } from './npm.ts';

/** What makes the project. */
export const check: Check = {
  check(call, meaning) {
    checkWords(call, meaning);
    if (call.operands.length > 0) meaning.add(2, 'runs a package from the network');
  },
};
