/** `-p` of pytest: the name of a plugin, or `no:NAME`. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A plugin of pytest. */
export const language: Language = {
  read([word], meaning) {
    if (!/^(no:)?[A-Za-z_][\w.]*$/.test(valueOf(word, meaning, 'a plugin')))
      meaning.refuse(`the plugin ${word?.value ?? ''}`, word);
  },
};
