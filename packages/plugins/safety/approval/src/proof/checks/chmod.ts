/** Modes that give away more than the file. */
import type { Check } from '../language.ts';

/** Finds them. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (flags.has('--reference') || flags.has('-x')) return;
    const mode = operands[0]?.value;
    if (mode === undefined || !/^(?:[0-7]{1,5}|[ugoa]*(?:[-+=][rwxXst]*)+(?:,[ugoa]*(?:[-+=][rwxXst]*)+)*)$/.test(mode))
      return meaning.refuse('the mode', operands[0]);
    if (/^[0-7]*[1-7][0-7]{3}$|s/.test(mode)) meaning.add(2, 'gives a program the rights of its owner');
    if (
      /^[0-7]*[2367]$/.test(mode) ||
      mode.split(',').some((part) => /^(?:[ug]*[oa][ugoa]*)[-+=rwx]*[+=][rx]*w|^[+=][rx]*w/.test(part))
    )
      meaning.add(2, 'lets everybody write');
  },
};
