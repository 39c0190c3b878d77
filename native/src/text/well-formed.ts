/** Under the `u` flag a whole pair is one character, so these find only halves. */
const HALF_PAIR = /\p{Surrogate}/u;
const HALF_PAIRS = /\p{Surrogate}/gu;

/** The text with each half of a surrogate pair replaced by U+FFFD, which is what it becomes in UTF-8. */
export function wellFormed(text: string): string {
  return HALF_PAIR.test(text) ? text.replace(HALF_PAIRS, '\ufffd') : text;
}
