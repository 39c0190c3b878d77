/** `cmake --build x -- …`: what stands there goes to the real builder. */
import type { Check } from '../language.ts';

/** Words for the builder. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    for (const word of operands)
      if (word.value?.startsWith('-') && !/^-(j\d*|k|v|s|k\d+)$/.test(word.value))
        meaning.refuse(`${word.value}, which is handed to the builder`, word);
      else if (/=/.test(word.value ?? '') && !/^VERBOSE=1$/.test(word.value ?? ''))
        meaning.refuse(`the variable ${word.value ?? ''}`, word);
    for (const word of flags.get('--target') ?? [])
      if (/^(un)?install/.test(word.value ?? '')) meaning.add(2, 'changes the machine');
  },
};
