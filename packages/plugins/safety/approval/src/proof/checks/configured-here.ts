/** Programs that start what the configuration of their folder names, even to answer a question (`cargo tree`, `yarn --version`). */
import type { Check } from '../language.ts';

/** The folder that it works in. */
export const check: Check = {
  check(_call, meaning) {
    meaning.text('folder-of-code', '.');
  },
};
