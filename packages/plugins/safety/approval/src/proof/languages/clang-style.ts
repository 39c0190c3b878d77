/** `-style=` of clang-format: a name, settings, or a file. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A style. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a style');
    if (value.startsWith('file:')) meaning.text('read', value.slice('file:'.length));
  },
};
