/** `-gcflags` of go: flags of the compiler that write and load nothing. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Flags of the compiler. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'flags of the compiler');
    if (
      !/^([\w./]+=)?(\s*(-[NlmSBeE]+|-m=\d|-l=\d|-N=\w+|-d=[\w,]+(=\d+)?|-d=ssa\/\w+\/(debug|stats|on|off|time|mem)(=\d+)?))*\s*$/.test(
        value,
      )
    )
      meaning.refuse(`the compiler's flags ${value}`, word);
  },
};
