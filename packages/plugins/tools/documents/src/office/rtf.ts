/** The text of RTF files. */

/** Groups whose content is not part of the text. */
const SILENT = new Set(
  'fonttbl colortbl stylesheet info pict object header footer themedata datastore latentstyles listtable listoverridetable generator xmlnstbl'.split(
    ' ',
  ),
);
const SIGNS: Readonly<Record<string, string>> = {
  par: '\n\n',
  sect: '\n\n',
  page: '\n\n',
  line: '\n',
  tab: '\t',
  cell: ' | ',
  row: '\n',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
};
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;

/** The text without its formatting. */
export function rtfText(bytes: Uint8Array): string {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const western = new TextDecoder('windows-1252');
  const groups: { isSilent: boolean; skip: number }[] = [];
  let group = { isSilent: false, skip: 1 };
  let left = 0;
  let out = '';
  const add = (text: string): void => {
    // Behind a Unicode character stand replacements for programs that do not know it.
    const rest = text.slice(Math.min(left, text.length));
    left = Math.max(0, left - text.length);
    if (!group.isSilent) out += rest;
  };
  for (const [, word, number, hex, sign, brace, text] of source.matchAll(TOKEN)) {
    if (brace === '{') groups.push({ ...group });
    else if (brace === '}') group = groups.pop() ?? group;
    else if (text !== undefined) add(western.decode(Buffer.from(text, 'latin1')));
    else if (hex !== undefined) add(western.decode(Uint8Array.of(Number.parseInt(hex, 16))));
    else if (sign !== undefined) {
      if (sign === '*') group = { ...group, isSilent: true };
      else if (sign === '~') add(' ');
      else if (/[\\{}]/.test(sign)) add(sign);
    } else if (word !== undefined) {
      if (SILENT.has(word)) group = { ...group, isSilent: true };
      else if (word === 'uc') group = { ...group, skip: Number(number ?? 1) };
      else if (word === 'u') {
        if (!group.isSilent) out += String.fromCharCode((Number(number) + 65_536) % 65_536);
        left = group.skip;
      } else if (word === 'bin') left += Number(number ?? 0);
      else add(SIGNS[word] ?? '');
    }
  }
  return `${out.replaceAll(/\n{3,}/g, '\n\n').trim()}\n`;
}
