/** `npm publish`: only with --dry-run it stays here. */
import type { Check } from '../language.ts';
import { checkWords } from './npm.ts';

/** Publishing. */
export const check: Check = {
  check(call, meaning) {
    checkWords(call, meaning);
    if (!call.flags.has('--dry-run')) meaning.add(3, 'publishes, which cannot be taken back');
  },
};
