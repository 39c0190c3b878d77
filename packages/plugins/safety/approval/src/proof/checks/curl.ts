/** `curl`: it needs an address, and `-O` writes a file of the address's name. */
import type { Check } from '../language.ts';

/** A request. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    if (operands.length === 0 && !flags.has('--url')) meaning.refuse('`curl` without an address');
    // Even on this machine: daemons take orders from whoever may connect.
    const [method] = flags.get('-X') ?? [];
    if (method !== undefined && !/^(GET|HEAD|POST|PUT|PATCH|OPTIONS)$/.test(method.value ?? ''))
      meaning.add(2, 'asks a server of this machine to delete something');
    if (operands.some(({ value }) => /:(2375|2376|6443|10250)(\/|$)/.test(value ?? '')))
      meaning.add(2, 'gives orders to a daemon of this machine');
    if (!flags.has('-O')) return;
    for (const { value } of operands) {
      const name =
        value
          ?.replace(/[?#].*$/s, '')
          .split('/')
          .at(-1) ?? '';
      if (!/^\w[\w.-]*$/.test(name)) return meaning.refuse('a file whose name comes from the address');
      meaning.text('write', name);
    }
  },
};
