/** Keys as they are written in a call: characters, and names in angle brackets. */
import { VimError } from './vim-error.ts';

const NAMED: Readonly<Record<string, string>> = {
  esc: '<Esc>',
  'c-[': '<Esc>',
  'c-c': '<Esc>',
  cr: '<CR>',
  enter: '<CR>',
  return: '<CR>',
  'c-m': '<CR>',
  'c-j': '<CR>',
  bs: '<BS>',
  'c-h': '<BS>',
  tab: '\t',
  'c-i': '\t',
  space: ' ',
  lt: '<',
  bar: '|',
  bslash: '\\',
  'c-r': '<C-r>',
  'c-w': '<C-w>',
  'c-u': '<C-u>',
  'c-a': '<C-a>',
  'c-x': '<C-x>',
  left: '<Left>',
  right: '<Right>',
  up: '<Up>',
  down: '<Down>',
  home: '<Home>',
  end: '<End>',
  del: '<Del>',
};

/** Splits a text into keys. A `<` that starts no name is a key itself. */
export function readKeys(text: string): string[] {
  const keys: string[] = [];
  for (let at = 0; at < text.length;) {
    const named = text[at] === '<' ? /^<([A-Za-z][A-Za-z0-9-]*(?:-[^>])?)>/.exec(text.slice(at, at + 16)) : null;
    const name = named?.[1]?.toLowerCase();
    const key = name === undefined ? undefined : NAMED[name];
    if (named && name !== undefined && (key !== undefined || /^[cmsad]-./.test(name))) {
      if (key === undefined) throw new VimError(`the key ${named[0]} is not supported here.`);
      keys.push(key);
      at += named[0].length;
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    keys.push(keyOf(char));
    at += char.length;
  }
  return keys;
}

/** Control characters mean the keys that type them. */
function keyOf(char: string): string {
  if (char === '\u001b') return '<Esc>';
  if (char === '\r' || char === '\n') return '<CR>';
  if (char === '\b' || char === '\u007f') return '<BS>';
  return char;
}

/** Text that is typed in insert mode, as keys. */
export function textKeys(text: string): string[] {
  return Array.from(text.replaceAll('\r\n', '\n'), (char) => (char === '\n' ? '<CR>' : char));
}
