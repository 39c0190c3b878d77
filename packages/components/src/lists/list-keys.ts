/** Keys as lists name them, and what typing adds to a text. */
import { readKey } from '@tenon/screen';

const PASTE = /^\x1b\[200~([\s\S]*)\x1b\[201~$/; // oxlint-disable-line no-control-regex -- the brackets of a paste

/** The name of a key with what is held down: `ctrl+n`, `shift+tab`, `enter`; nothing for what types text. */
export function keyName(data: string): string | undefined {
  if (PASTE.test(data)) return undefined;
  const key = readKey(data);
  if (!key || key.event === 'release' || key.text !== '') return undefined;
  const held = [key.ctrl && 'ctrl+', key.alt && 'alt+', key.shift && 'shift+', key.super && 'super+'];
  return held.filter(Boolean).join('') + key.name;
}

/** What a key or a paste types, on one line; empty for keys that type nothing. */
export function typedText(data: string): string {
  const pasted = PASTE.exec(data)?.[1];
  if (pasted !== undefined) return oneLine(pasted);
  const key = readKey(data);
  return key && key.event !== 'release' ? oneLine(key.text) : '';
}

/** Without control characters and marks that turn the reading direction: what is pasted may hold any. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ');
