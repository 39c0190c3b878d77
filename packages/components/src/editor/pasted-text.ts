/** Pastes, as terminals mark them. */

const START = '\x1b[200~';
const END = '\x1b[201~';

/** The text of a paste; nothing for what is no paste. */
export function pastedText(data: string): string | undefined {
  if (!data.startsWith(START)) return undefined;
  return data.slice(START.length, data.endsWith(END) ? data.length - END.length : undefined);
}
