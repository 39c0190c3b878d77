/**
 * `test` and `[`. `-v` and `-R` run what stands in a subscript, so they are refused, and so are words that could become one of them. Numbers must
 * be numbers: some shells calculate them.
 */
import type { CallWord, Language, Meaning } from '../language.ts';

const UNARY = /^-[abcdefghkpnrstuwxzGLNOS]$/;
const COMPARISON = /^(?:==?|!=|<|>|-nt|-ot|-ef)$/;
const NUMERIC = /^-(?:eq|ne|lt|le|gt|ge)$/;
const CONNECTIVE = /^-[ao]$/;

/** Reads the words of a test. */
export function readTest(words: readonly CallWord[], meaning: Meaning): void {
  for (const word of words) if (word.isMany) meaning.refuse('a word of the test that may become several', word);
  if (words.length === 0) return;
  if (expression(words, 0, meaning) !== words.length) meaning.refuse('the test');
}

/** Gives the place behind an expression. */
function expression(words: readonly CallWord[], start: number, meaning: Meaning): number {
  let at = term(words, start, meaning);
  while (at < words.length && CONNECTIVE.test(words[at]?.value ?? '')) at = term(words, at + 1, meaning);
  return at;
}

function term(words: readonly CallWord[], at: number, meaning: Meaning): number {
  const [first, second, third] = [words[at], words[at + 1], words[at + 2]];
  if (first === undefined) return meaning.refuse('the test');
  if (isBinary(second) && third !== undefined) return binary(words, at, meaning);
  if (first.value === '!') return term(words, at + 1, meaning);
  if (first.value === '(') {
    const end = expression(words, at + 1, meaning);
    return words[end]?.value === ')' ? end + 1 : meaning.refuse('the test');
  }
  if (first.value !== undefined && UNARY.test(first.value) && second !== undefined) return at + 2;
  // One word alone is compared with nothing. It must not be an operator that takes what follows.
  const isAlone = at + 1 === words.length;
  if (!isAlone && (first.value === undefined || /^[-!(]/.test(first.value)))
    return meaning.refuse('a word of the test', first);
  return at + 1;
}

function binary(words: readonly CallWord[], at: number, meaning: Meaning): number {
  const [left, operator, right] = [words[at], words[at + 1], words[at + 2]] as [CallWord, CallWord, CallWord];
  if (NUMERIC.test(operator.value ?? ''))
    for (const word of [left, right])
      if (word.value !== undefined && !/^\s*[-+]?\d+\s*$/.test(word.value))
        meaning.refuse('a number of the test', word);
  // In a longer test, an unknown word on the left could be `!` or a parenthesis and move what follows.
  const isOpen = left.value === undefined || /^[-!(]/.test(left.value);
  if (words.length > 3 && isOpen && !(words.length === 4 && words[0]?.value === '!')) {
    const isPlain =
      right.value !== undefined &&
      !isBinary(right) &&
      !CONNECTIVE.test(right.value) &&
      !/^[!()]|^-[a-zA-Z]$/.test(right.value);
    if (!isPlain) meaning.refuse('a word of the test', left);
  }
  return at + 3;
}

function isBinary(word: CallWord | undefined): boolean {
  return word?.value !== undefined && (COMPARISON.test(word.value) || NUMERIC.test(word.value));
}

/** All words are the test. */
export const language: Language = {
  read: readTest,
};
