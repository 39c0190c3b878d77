/** Links in text (OSC 8); which ones are safe is said in `crates/text/src/link.rs`. */

const BODY =
  '([0-9A-Za-z=:._+-]{0,256};(?:(?:[Hh][Tt][Tt][Pp][Ss]?|[Mm][Aa][Ii][Ll][Tt][Oo]|[Ff][Ii][Ll][Ee]):[!-~]{1,2083})?)';
// oxlint-disable no-control-regex -- control sequences are what this is about
const LINK = new RegExp(`\\x1b\\]8;${BODY}(?:\\x07|\\x1b\\\\)`, 'y');
const SEQUENCE = new RegExp(`^(?:\\x1b\\]|\\x9d)8;${BODY}(?:\\x07|\\x1b\\\\|\\x9c)$`);
// oxlint-enable no-control-regex

/** Ends the link that is open. */
export const CLOSE_LINK = '\x1b]8;;\x1b\\';

/** The length of a safe link sequence at `at`, or 0. */
export function linkLength(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== 0x5d) return 0;
  LINK.lastIndex = at;
  return LINK.exec(text)?.[0].length ?? 0;
}

/** The sequence in its usual form when it is a whole, safe link; else nothing. */
export function safeLink(sequence: string): string | undefined {
  const body = SEQUENCE.exec(sequence)?.[1];
  return body === undefined ? undefined : `\x1b]8;${body}\x1b\\`;
}

/** What opens the link again that is open after this sequence; empty when the sequence ends one. */
export function linkOpening(sequence: string): string {
  const body = sequence.slice(4, sequence.endsWith('\x07') ? -1 : -2);
  return body.endsWith(';') && body.indexOf(';') === body.length - 1 ? '' : `\x1b]8;${body}\x1b\\`;
}
