/** printf: the format must be known, because `%n` and `-v` of bash set variables. */
import type { Language } from '../language.ts';
import { valueOf } from './known-words.ts';

const CONVERSION =
  /%(?:%|[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|-?\d+)?)?(?:[hlLqjzt]*)(?:[diouxXeEfFgGaAcsbqQ]|\([^()%]*(?:%[A-Za-z%-][^()%]*)*\)T))/g;

/** Whether a format only prints. */
export function onlyPrints(format: string): boolean {
  return !format.replaceAll(CONVERSION, '').includes('%');
}

/** Reads the format; what it prints does not matter. */
export const language: Language = {
  read(words, meaning) {
    const [first, second] = words;
    const isEnded = first?.value === '--';
    const format = valueOf(isEnded ? second : first, meaning, 'the format of printf');
    if (!isEnded && format.startsWith('-')) meaning.refuse('a flag of printf', first);
    if (!onlyPrints(format)) meaning.refuse('the format of printf', first);
  },
};
