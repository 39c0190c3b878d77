/** `--logger` of dotnet: a name with plain settings. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A logger. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a logger');
    if (!/^[A-Za-z]\w*(;(verbosity|LogFileName|LogFilePrefix)=[\w.-]+)*$/.test(value))
      meaning.refuse(`the logger ${value}`, word);
  },
};
