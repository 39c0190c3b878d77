/** Text of others inside of the tags that prompts put around it: it must not be able to end its block and go on as somebody else. */

/** The tags around foreign text in our prompts. */
const TAG = /<(?=\s*\/?\s*(?:file|rule|skill|system-reminder)\b)/gi;

/** The text with the tags of our prompts made harmless: `&lt;/file>` ends nothing. */
export function fencedText(text: string): string {
  return text.replace(TAG, '&lt;');
}

/** A name or path as the value of an attribute, on one line. */
export function tagValue(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replaceAll('"', "'")
    .replace(/[<>]/g, '');
}
