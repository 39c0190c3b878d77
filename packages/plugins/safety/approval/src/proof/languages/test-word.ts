/** A word for Rust's tests: a name, or a flag that writes nothing. */
import type { Language } from '../language.ts';

/** A word for tests. */
export const language: Language = {
  read([word], meaning) {
    const { value, prefix = '' } = word ?? {};
    if (value === undefined && (prefix === '' || prefix.startsWith('-')))
      return meaning.refuse('a word for tests that is only known when it runs', word);
    if (prefix.startsWith('--logfile')) meaning.refuse(`${prefix}, which writes a file`, word);
  },
};
