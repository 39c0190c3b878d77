/** `-w` of curl: a text with `%{…}`, or `@file`. `%output{…}` writes. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** What is printed at the end. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a format');
    if (value.includes('%output{')) meaning.refuse(`the format ${value}`, word);
    if (value.startsWith('@') && value !== '@-') meaning.text('read', value.slice(1));
  },
};
