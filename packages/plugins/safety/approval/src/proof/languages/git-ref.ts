/** A branch, tag or commit for a program that gives it to git: neither a flag of git nor text for the shell that some start git with. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

/** A commit. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'a commit');
    if (!/^(?:\w[\w./@^~-]*)?$/.test(value)) meaning.refuse(`the commit ${value}`, word);
  },
};
