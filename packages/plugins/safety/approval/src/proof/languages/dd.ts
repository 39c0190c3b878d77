/** The operands of dd: `if=file of=file bs=1M`. */
import type { Language } from '../language.ts';
import { valueOf } from './known-words.ts';

const OTHERS = /^(?:bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|status|iflag|oflag)=[\w,+.]*$/;

/** Reads them. */
export const language: Language = {
  read(words, meaning) {
    for (const word of words) {
      const text = valueOf(word, meaning, 'an operand of dd');
      const [, key, file] = /^(if|of)=(.+)$/s.exec(text) ?? [];
      if (file !== undefined) meaning.text(key === 'of' ? 'write' : 'read', file);
      else if (!OTHERS.test(text)) meaning.refuse(`the operand ${text} of dd`, word);
    }
  },
};
