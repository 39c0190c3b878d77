/** `sass a.scss b.css`, `sass src:dist`: what stands behind a colon is written. */
import type { Check } from '../language.ts';

/** What is read and written. */
export const check: Check = {
  check({ operands }, meaning) {
    const hasPairs = operands.some(({ prefix }) => prefix.includes(':'));
    for (const [at, word] of operands.entries()) {
      if (!hasPairs) {
        meaning.role(at === 1 ? 'write' : 'read', word);
        continue;
      }
      const [source = '', target = '', ...more] = word.value?.split(':') ?? [];
      // A folder alone is compiled to where it lies.
      if (word.value === undefined || more.length > 0) meaning.refuse('files of `sass`', word);
      meaning.text(target === '' ? 'write' : 'read', source);
      if (target !== '') meaning.text('write', target);
    }
    if (!hasPairs && operands.length > 2) meaning.refuse('`sass` with too many files', operands[2]);
  },
};
