/** A name that cannot be a path, an address or code. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A plain name. */
export const language: Language = {
  read([word], meaning) {
    if (!/^\w[\w.+@:-]*$/.test(valueOf(word, meaning, 'a name'))) meaning.refuse(`the name ${word?.value ?? ''}`, word);
  },
};
