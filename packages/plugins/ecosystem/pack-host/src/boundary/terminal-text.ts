/** Output of packs as a terminal may get it. */
import { plainText } from '@tenon/wording';

/** Colours and other looks of letters; everything else that a terminal obeys goes. */
// eslint-disable-next-line no-control-regex
const LOOKS = /\u001b\[[0-9;:]*m/g;

/** Text without control sequences but those for colours; line breaks, tabs and returns stay. */
export function terminalText(text: string): string {
  const looks = text.match(LOOKS) ?? [];
  return text
    .split(LOOKS)
    .map((part, index) => part.split('\r').map(plainText).join('\r') + (looks[index] ?? ''))
    .join('');
}
