/** A file that is sent; curl reads `{a,b}` and `[1-9]` as several. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A file. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a file');
    if (/[{}[\]]/.test(value)) meaning.refuse(`the files ${value}`, word);
    if (word !== undefined && value !== '-' && value !== '.') meaning.role('read', word);
  },
};
