import { didYouMean } from '@tenon/wording';
import { errors } from './errors.ts';

/** Refuses options that nobody knows: a misspelt one would be ignored in silence. */
export function checkOptions(caller: string, options: object, known: readonly string[]): void {
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || known.includes(option)) continue;
    throw errors.create('SDK_UNKNOWN_OPTION', {
      caller,
      option,
      hint: didYouMean(option, known),
      known: known.join(', '),
    });
  }
}
