/** Keys as an ordinary terminal sends them: a program inside does not know the protocol that the screen's terminal speaks. */
import type { Key } from '@tenon/screen';

const ARROWS: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' };
const TILDES: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};
const FUNCTIONS: Readonly<Record<string, string>> = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };
const PLAIN: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  backspace: '\x7f',
  escape: '\x1b',
  space: ' ',
};

/** The bytes of a key; `data` is what the screen's terminal sent, for keys that need no change. */
export function keyBytes(key: Key, data: string, isApplication: boolean): string {
  const { name } = key;
  const held = 1 + (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.ctrl ? 4 : 0);
  const arrow = ARROWS[name];
  if (arrow !== undefined) return held > 1 ? `\x1b[1;${held}${arrow}` : `\x1b${isApplication ? 'O' : '['}${arrow}`;
  const tilde = TILDES[name];
  if (tilde !== undefined) return held > 1 ? `\x1b[${tilde};${held}~` : `\x1b[${tilde}~`;
  const letter = FUNCTIONS[name];
  if (letter !== undefined) return held > 1 ? `\x1b[1;${held}${letter}` : `\x1bO${letter}`;
  if (name === 'tab' && key.shift) return '\x1b[Z';
  const alt = key.alt ? '\x1b' : '';
  if (key.ctrl) return alt + controlByte(name, data);
  if (key.text !== '') return alt + key.text;
  const plain = PLAIN[name];
  if (plain !== undefined) return alt + plain;
  return key.alt && name.length === 1 ? `\x1b${key.shift ? name.toUpperCase() : name}` : data;
}

/** Ctrl and a letter is the letter's place in the alphabet; other keys with Ctrl that have no byte go as they came. */
function controlByte(name: string, data: string): string {
  if (name === 'space') return '\0';
  if (name === 'backspace') return '\b';
  const code = name.toUpperCase().charCodeAt(0);
  if (name.length === 1 && code >= 0x40 && code <= 0x5f) return String.fromCharCode(code - 0x40);
  return PLAIN[name] ?? data;
}
