/** How files that a bundler writes are named (`[dir]/[name]-[hash]`): below the folder of its output. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A pattern of names. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a pattern of names');
    if (!/^[\w@[\]./-]*$/.test(value) || /^\/|(^|\/)\.\.(\/|$)/.test(value))
      meaning.refuse(`the pattern of names ${value}`, word);
  },
};
