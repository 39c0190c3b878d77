/** A file that is written, or `-` for the output. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A file that is written. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a file');
    // `%` fills in parts of answers (curl), `#1` parts of the address.
    if (/[%#]/.test(value)) meaning.refuse(`the file ${value}`, word);
    if (word !== undefined && value !== '-') meaning.role('write', word);
  },
};
