/** Flags of V8 that change limits and features of the language; others log to files or run what they name. */
import type { Language } from '../language.ts';
import { valueOf } from './option-table.ts';

const HARMLESS =
  /^--(max[-_]old[-_]space[-_]size=\d+|max[-_]semi[-_]space[-_]size=\d+|max[-_]heap[-_]size=\d+|stack[-_]size=\d+|stack[-_]trace[-_]limit=\d+|expose[-_]gc|harmony[\w-]*|no[-_]opt|jitless)$/;

/** Flags of V8. */
export const language: Language = {
  read([word], meaning) {
    const value = valueOf(word, meaning, 'flags of V8');
    for (const flag of value.split(',')) if (!HARMLESS.test(flag)) meaning.refuse(`the flag ${flag} of V8`, word);
  },
};
