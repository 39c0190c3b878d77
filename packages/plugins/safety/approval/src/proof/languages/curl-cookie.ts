/** `-b` of curl: `name=value`, or a file. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** Cookies. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'cookies');
    if (word !== undefined && !value.includes('=') && value !== '') meaning.role('read', word);
  },
};
