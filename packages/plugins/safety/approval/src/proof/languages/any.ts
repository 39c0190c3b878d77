/** Programs that no word makes do anything: `echo`, `true`, `expr`. */
import type { Language } from '../language.ts';

/** Takes every word. */
export const language: Language = {
  read() {},
};
