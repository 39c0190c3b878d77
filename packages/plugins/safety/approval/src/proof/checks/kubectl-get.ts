/** `kubectl get secrets -o yaml` shows credentials; without a form it shows their names. */
import type { Check } from '../language.ts';

/** Secrets of a server. */
export const check: Check = {
  check({ flags, operands }, meaning) {
    const form = flags.get('-o')?.at(-1)?.value;
    const shows = form !== undefined && !/^(wide|name)$/.test(form);
    if (!shows) return;
    const [kinds] = operands;
    const names = operands.map(({ value }) => value ?? 'secret').join(',');
    // A file can describe secrets, too.
    if (kinds === undefined || names.split(/[,/]/).some((name) => /^secrets?(\.|$)/i.test(name)))
      meaning.add(2, 'shows credentials');
  },
};
