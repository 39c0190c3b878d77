/** `cargo run --bin NAME -- …`: programs of the project are tasks by their names. */
import type { Check } from '../language.ts';
import { readProgramWords } from './program-words.ts';

/** What is run. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    for (const name of ['--bin', '--example', '-p'])
      for (const word of flags.get(name) ?? []) meaning.role('task', word);
    readProgramWords(operands, meaning);
  },
};
