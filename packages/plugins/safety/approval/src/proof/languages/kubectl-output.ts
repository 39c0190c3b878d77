/** `-o` of kubectl: a form of answers, but no file that describes one. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A form of answers. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a form of answers');
    if (/-file(=|$)/.test(value)) meaning.refuse(`the form ${value}`, word);
  },
};
