import { stripVTControlCharacters } from 'node:util';

/**
 * Text of others (manifests, tools, file names) as it may be shown on a terminal: without control sequences, which
 * could move the cursor, fake output or write to the clipboard, and without marks that turn the reading direction. Line
 * breaks and tabs stay.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    ' ',
  );
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}
