/** `git diff --name-only` prints names of files, for `xargs` and loops. Two folders are compared with everything below, also without `--no-index`. */
import type { Check } from '../language.ts';

/** Flags (by the first of those that share a line of the grammar) beside which it prints nothing else. */
const QUIET = new Set(['--name-only', '--cached', '--diff-filter', '--no-color']);

/** Whether it only prints names below the folder. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    for (const word of operands) if (word.value !== undefined) meaning.role('search', word);
    const leadsAway = operands.some(({ value }) => value === undefined || /^\/|(^|\/)\.\.(\/|$)/.test(value));
    if (flags.has('--name-only') && [...flags.keys()].every((flag) => QUIET.has(flag)) && !leadsAway) meaning.lists([]);
  },
};
