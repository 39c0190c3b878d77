/** rsync within this machine. */
import { basename, join } from 'node:path';
import type { Check } from '../language.ts';

/** Refuses other machines, and finds what `--delete` removes. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    const target = operands.at(-1);
    if (target === undefined || operands.length < 2) return meaning.refuse('rsync without a source or a target');
    for (const word of operands)
      if (word.value === undefined ? word.below === undefined : word.value.includes(':'))
        meaning.refuse('another machine', word);
    for (const source of operands.slice(0, -1)) {
      meaning.role('search', source);
      if (source.value !== undefined && target.value !== undefined && !source.value.endsWith('/'))
        meaning.text('write', join(target.value, basename(source.value)));
    }
    if (flags.has('--delete')) meaning.role('delete-tree', target);
  },
};
