/** The value of a flag, for programs that take a word with a dash behind a flag for the next flag (yargs, mri, minimist). */
import type { Language } from '../language.ts';

/** A value without effect. */
export const language: Language = {
  read([word], meaning) {
    const { value, prefix = '' } = word ?? {};
    if (value === undefined ? prefix === '' || prefix.startsWith('-') : /^-(?!\d+$)/.test(value))
      meaning.refuse(`the value ${prefix} of a flag`, word);
  },
};
