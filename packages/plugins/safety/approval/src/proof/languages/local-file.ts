/** A file that is read, and neither an address nor a setting. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A file. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a file');
    if (/:\/\/|=/.test(value)) meaning.refuse(`the file ${value}`, word);
    if (word !== undefined) meaning.role('read', word);
  },
};
