/** The host of a database: this machine or its socket; everything else is another machine. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A host. */
export const language: Language = {
  read([word], meaning) {
    if (!/^(localhost|127\.0\.0\.1|::1|\/[\w./-]+)$/.test(valueOf(word, meaning, 'a host')))
      meaning.add(2, 'talks to another machine');
  },
};
