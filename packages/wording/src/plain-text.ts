import { stripVTControlCharacters } from 'node:util';

/** Controls, marks that turn the reading direction, and characters that nobody sees: a text without them is shown as it is. */
const SUSPICIOUS =
  // oxlint-disable-next-line no-misleading-character-class -- single characters without a shape are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|\udb40/;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
/**
 * Characters without a shape. Tags make a flag of a black one and nothing else; a joiner or a selector belongs to one character
 * before it that is not ASCII, in emoji and in scripts that join letters. More of them carry a hidden text.
 */
const shapeless = (): RegExp =>
  // A function, because tables of letters and signs take most of a millisecond, and nearly every text does without them.
  // oxlint-disable-next-line no-misleading-character-class -- single characters without a shape are what is looked for
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f})|((?:(?![\u0000-\u007f\u180b-\u180f\ufe00-\ufe0f])[\p{L}\p{M}\p{So}\p{Sk}\p{Emoji}]|[#*0-9](?=\ufe0f?\u20e3))[\u200c\u200d\ufe00-\ufe0f]{1,2})|[\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;

/**
 * Text of others (models, manifests, tools, file names) as it may be shown on a terminal: without control sequences, which could
 * move the cursor, fake output or write to the clipboard, without marks that turn the reading direction, and without what
 * nobody can see. Line breaks and tabs stay.
 */
export function plainText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replace(CONTROLS, ' ')
    .replace(shapeless(), (_, flag: string | undefined, joined: string | undefined) => flag ?? joined ?? '');
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** The styles that Tenon itself uses. None of them hides a text, as black on black and concealed letters do. */
const STYLE = /\u001b\[(?:[0-4]|2[2-4]|3[1-6]|39|9[1-6])m/;
const STYLES = new RegExp(`(${STYLE.source})`);
const PLAIN_STYLE = /\[(?:0|2[2-4]|39)m$/;
/** A line that is written anew, to show progress. */
const ANEW = '\r\u001b[K';

/** What a command writes, as a terminal gets it: its own styles stay, everything else is plain text. */
export function terminalText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  const start = text.startsWith(ANEW) ? ANEW : '';
  const parts = text.slice(start.length).split(STYLES);
  const shown = parts.map((part, index) => (index % 2 === 1 ? part : plainText(part))).join('');
  const last = parts.length > 1 ? (parts.at(-2) ?? '') : '';
  // A style that was opened and not closed would reach what others write next.
  return `${start}${shown}${last === '' || PLAIN_STYLE.test(last) ? '' : '\u001b[0m'}`;
}
