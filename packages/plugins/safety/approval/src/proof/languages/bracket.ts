/** `[`: a test with a bracket at its end. */
import type { Language } from '../language.ts';
import { readTest } from './test.ts';

/** Takes the bracket off. */
export const language: Language = {
  read(words, meaning) {
    if (words.at(-1)?.value !== ']') meaning.refuse('`[` without `]`');
    readTest(words.slice(0, -1), meaning);
  },
};
