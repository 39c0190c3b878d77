/** What stands behind `cargo clippy --`: levels of lints. Other flags of the compiler could name a linker. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A flag or a name of a lint. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a flag of the compiler');
    if (!/^(-[AWDF]([a-z_]+(::[a-z_]+)?)?|--(allow|warn|deny|forbid)|--no-deps|[a-z][a-z_]*(::[a-z_]+)?)$/.test(value))
      meaning.refuse(`${value}, which is handed to the compiler`, word);
  },
};
