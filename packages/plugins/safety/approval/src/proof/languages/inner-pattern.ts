/** A pattern for packages of the workspace: names, globs and folders inside of it. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A pattern that leads nowhere else. */
export const language: Language = {
  read([word], meaning) {
    if (/^[!{]*[/~]|(^|[^.])\.\.(\/|\}|$)/.test(valueOf(word, meaning, 'a pattern')))
      meaning.refuse('a pattern that leads out of the workspace', word);
  },
};
