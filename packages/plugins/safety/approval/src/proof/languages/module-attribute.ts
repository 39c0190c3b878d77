/** `app.main:app`: a module of the project and a name in it. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A module and a name. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a module');
    if (!/^[A-Za-z_][\w.]*(?::[A-Za-z_]\w*(?:\(\))?)?$/.test(value)) meaning.refuse(`the module ${value}`, word);
  },
};
