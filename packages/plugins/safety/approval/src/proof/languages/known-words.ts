/** What readers of words share. */
import type { CallWord, Meaning } from '../language.ts';

/** The value of a word; refuses one that is only known when it runs. */
export function valueOf(word: CallWord | undefined, meaning: Meaning, what: string): string {
  if (word === undefined) return meaning.refuse(`${what}, which is missing`);
  if (word.value === undefined || word.isMany) return meaning.refuse(`${what}, which is only known when it runs`, word);
  return word.value;
}
