/** A text, or `@file` for the text of a file. */
import type { Language } from '../language.ts';

/** A text or a file. */
export const language: Language = {
  read([word], meaning) {
    const { value, prefix = '' } = word ?? {};
    if (value === undefined && prefix === '') return meaning.refuse('a text that may name a file when it runs', word);
    if (!prefix.startsWith('@')) return;
    if (value === undefined) return meaning.refuse('a file that is only known when it runs', word);
    if (value !== '@-') meaning.text('read', value.slice(1));
  },
};
