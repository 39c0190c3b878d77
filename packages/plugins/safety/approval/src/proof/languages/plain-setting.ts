/** A setting whose value is a plain word or number (`rankdir=LR`): no path, address or code. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A setting. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a setting');
    if (!/^[\w-]+!?(?:=[\w.#,+-]*)?$/.test(value) || /image|path|uri|file|lib/i.test(value))
      meaning.refuse(`the setting ${value}`, word);
  },
};
