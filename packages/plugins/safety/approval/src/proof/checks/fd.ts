/** fd prints names below the folders that it is given. */
import { knownWord, type Check } from '../language.ts';

/** Says what is listed. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (flags.has('-l')) return;
    const folders = [...operands.slice(1), ...(flags.get('--search-path') ?? [])];
    meaning.lists(folders.length === 0 ? [knownWord('.')] : folders);
  },
};
