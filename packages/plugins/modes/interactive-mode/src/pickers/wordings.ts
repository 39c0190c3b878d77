/** How pickers write the beginnings of texts. */
import { plainLine } from '@tenon/wording';

/** The most of a text that a row can show. */
const ROW_CHARACTERS = 400;

/** The beginning of a text on one line. */
export function firstWords(text: string): string {
  return plainLine(text.slice(0, ROW_CHARACTERS));
}
