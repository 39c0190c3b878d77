/** A folder of code that is used, and no address. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A folder. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a folder');
    if (/:|^git@|^[\w.-]+\.\w+\/\w+\/\w+/.test(value)) meaning.refuse(`${value}, which may be somewhere else`, word);
    if (word !== undefined) meaning.role('file-of-code', word);
  },
};
