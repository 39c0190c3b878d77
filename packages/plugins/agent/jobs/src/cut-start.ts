/** The end of a text, whole lines as far as possible. */
export function cutStart(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.slice(-maxChars);
  const line = end.indexOf('\n') + 1;
  // A pair of surrogates that was cut in half would be no character at all.
  return line > 0 && line < end.length ? end.slice(line) : end.replace(/^[\uDC00-\uDFFF]/, '');
}
