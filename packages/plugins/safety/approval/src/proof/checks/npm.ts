/** npm and its relatives take no value that begins with a dash, but `true` and `false` behind flags that have none. */
import type { Check, Meaning, ParsedCall } from '../language.ts';

/** Refuses words that npm reads in another way than its grammar. */
export function checkWords({ flags, operands }: ParsedCall, meaning: Meaning): void {
  for (const [flag, values] of flags)
    for (const word of values)
      if (word.value === undefined || word.value.startsWith('-')) meaning.refuse(`the value of ${flag}`, word);
  for (const word of operands)
    if (/^(true|false|null)$/.test(word.value ?? ''))
      meaning.refuse(`${word.value ?? ''}, which may be the value of a flag`, word);
}

/** Words that npm reads in another way. */
export const check: Check = { check: checkWords };
