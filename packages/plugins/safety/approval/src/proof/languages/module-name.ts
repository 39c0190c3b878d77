/** A module that is loaded: by its name from what is installed, or by its path. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A module. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a module');
    if (word !== undefined && /^[./~]|\/\.\.\//.test(value)) meaning.role('file-of-code', word);
    else if (!/^@?[\w.,-]*[\w.-](\/[\w.-]+)*(=.*)?$/.test(value)) meaning.refuse(`the module ${value}`, word);
  },
};
