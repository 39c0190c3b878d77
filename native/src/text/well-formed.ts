/** The text with each half of a surrogate pair replaced by U+FFFD, which is what it becomes in UTF-8. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
