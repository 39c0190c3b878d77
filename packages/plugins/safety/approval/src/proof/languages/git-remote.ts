/** A repository or a refspec of git. `ext::command` and other helpers run programs. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A repository or a refspec. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a repository');
    if (value.includes('::') || value.startsWith('-') || /[\u0000-\u001f]/.test(value))
      meaning.refuse(`the repository ${value}`, word);
  },
};
