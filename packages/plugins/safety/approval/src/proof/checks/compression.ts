/** Programs that put a compressed file in the place of another one, or the other way round. */
import type { Check } from '../language.ts';

const ENDINGS = /\.(?:t?gz|z|Z|tbz2?|bz2?|t?xz|t?lzma|lz|t?zst|taz)$/;
const ADDED: Readonly<Record<string, string>> = { gzip: '.gz', bzip2: '.bz2', xz: '.xz', zstd: '.zst' };

/** Says what is read and written. */
export const check: Check = {
  check({ path, flags, operands }, meaning) {
    const onlyReads = ['-c', '-t', '-l', '-o'].some((flag) => flags.has(flag));
    for (const word of operands) {
      if (word.value === '-') continue;
      meaning.role('read', word);
      if (onlyReads) continue;
      meaning.role('write', word);
      if (word.value === undefined) continue;
      if (ENDINGS.test(word.value)) {
        meaning.text('write', word.value.replace(ENDINGS, ''));
        meaning.text('write', word.value.replace(ENDINGS, '.tar'));
      }
      meaning.text('write', word.value + (ADDED[path[0] ?? ''] ?? '.lzma'));
    }
  },
};
