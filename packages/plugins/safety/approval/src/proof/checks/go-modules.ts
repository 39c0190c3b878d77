/** `go list`, `go doc`: for `@version` and for versions of a named module, go asks the host in the module's name. */
import type { Check } from '../language.ts';

/** Modules. */
export const check: Check = {
  check({ path, flags, operands }, meaning) {
    const asks = flags.has('-versions');
    for (const word of operands) {
      if (word.value === undefined) return meaning.refuse('a module that is only known when it runs', word);
      if (word.value.includes('@') || (asks && word.value !== 'all')) meaning.add(2, 'asks the host of a module');
    }
    if (path[1] === 'list' && flags.has('-u')) meaning.add(1, 'asks a registry');
  },
};
