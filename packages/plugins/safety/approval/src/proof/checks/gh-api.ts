/** `gh api`: the method decides, and fields make it a POST. */
import type { Check } from '../language.ts';

/** A request to GitHub. */
export const check: Check = {
  check({ flags, operands: [address] }, meaning) {
    const [method] = flags.get('-X') ?? [];
    if (method !== undefined && method.value === undefined)
      return meaning.refuse('a method that is only known when it runs', method);
    if (address?.value === undefined || /:\/\//.test(address.value))
      return meaning.refuse('an address of `gh api`', address);
    for (const field of flags.get('-F') ?? []) {
      const [, file] = /=@(.*)$/s.exec(field.value ?? '') ?? [];
      if (field.value === undefined) return meaning.refuse('a field that is only known when it runs', field);
      if (file === undefined) continue;
      meaning.text('read', file);
      meaning.add(2, 'sends a file to GitHub');
    }
    const verb =
      method?.value?.toUpperCase() ?? (flags.has('-f') || flags.has('-F') || flags.has('--input') ? 'POST' : 'GET');
    if (verb === 'DELETE') meaning.add(3, 'deletes something on GitHub');
    else if (verb !== 'GET') meaning.add(2, 'changes something on GitHub');
  },
};
