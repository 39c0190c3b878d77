import { counted } from '@tenon/wording';
import type { CodeMapAnswer } from '@tenon/native';
import type { MapQuestion } from './address.ts';

/** What a reader should know beside the map, as sentences. */
export function describe({ files, totals, unknownFocus }: CodeMapAnswer, { budget, scope }: MapQuestion): string[] {
  const place = scope === '' ? '' : ` in ${scope}`;
  return [
    `${counted(files.length, 'file')}${place} of ${totals.files} by importance, within ${budget} tokens. Lines show LINE: definition.`,
    ...(totals.leftOut > 0 ? [`${counted(totals.leftOut, 'file')} did not fit the limits.`] : []),
    ...(unknownFocus.length > 0 ? [`No code to focus on: ${unknownFocus.join(', ')}.`] : []),
  ];
}
