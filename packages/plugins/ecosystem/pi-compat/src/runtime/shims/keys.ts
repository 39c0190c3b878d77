/** Names of keys, as pi-tui has them. Which bytes a key sends is the screen's knowledge. */
import { type Key as ScreenKey, readKey } from '@tenon/screen';

const SYMBOLS: Readonly<Record<string, string>> = {
  backtick: '`',
  hyphen: '-',
  equals: '=',
  leftbracket: '[',
  rightbracket: ']',
  backslash: '\\',
  semicolon: ';',
  quote: "'",
  comma: ',',
  period: '.',
  slash: '/',
  exclamation: '!',
  at: '@',
  hash: '#',
  dollar: '$',
  percent: '%',
  caret: '^',
  ampersand: '&',
  asterisk: '*',
  leftparen: '(',
  rightparen: ')',
  underscore: '_',
  plus: '+',
  pipe: '|',
  tilde: '~',
  leftbrace: '{',
  rightbrace: '}',
  colon: ':',
  lessthan: '<',
  greaterthan: '>',
  question: '?',
};
const NAMES: Readonly<Record<string, string>> = { ...SYMBOLS, esc: 'escape', return: 'enter' };
const MODIFIERS = ['ctrl', 'shift', 'alt', 'super'] as const;

/** Names of keys, put together: `Key.ctrl('c')`. */
export const Key = new Proxy({} as Record<string, unknown>, {
  get(_target, name) {
    if (typeof name !== 'string') return undefined;
    const modifiers = name.split(/(?=[A-Z])/).map((part) => part.toLowerCase());
    const isModifier = modifiers.every((part) => (MODIFIERS as readonly string[]).includes(part));
    return isModifier ? (key: string) => [...modifiers, key].join('+') : (NAMES[name] ?? name);
  },
});

/** The name of the key that sends these bytes: `ctrl+c`, `pageUp`, `a`. */
export function parseKey(data: string): string | undefined {
  if (data === '\n') return 'enter';
  const key = readKey(data);
  if (!key) return undefined;
  // What was typed as it is; a space has a name.
  if (data.length === 1 && data > ' ' && data <= '~') return data;
  return [...MODIFIERS.filter((modifier) => key[modifier]), nameOf(key)].join('+');
}

function nameOf({ name }: ScreenKey): string {
  return name === 'pageup' ? 'pageUp' : name === 'pagedown' ? 'pageDown' : name;
}

/** Whether these bytes are that key. */
export function matchesKey(data: string, wanted: string): boolean {
  const { name, modifiers } = partsOf(wanted);
  // A line feed is what Enter sends in some terminals, and Ctrl-J in all of them.
  if (data === '\n' && name === 'enter' && modifiers.size === 0) return true;
  // The same byte stands for Ctrl with both signs of that key.
  if (data === '\u001f' && (name === '-' || name === '_') && modifiers.size === 1 && modifiers.has('ctrl')) return true;
  const key = readKey(data);
  if (!key || key.name !== name) return false;
  return MODIFIERS.every((modifier) => key[modifier] === modifiers.has(modifier));
}

function partsOf(wanted: string): { name: string; modifiers: ReadonlySet<string> } {
  const words = String(wanted).toLowerCase().split('+');
  // `ctrl++` is the plus sign with Ctrl.
  const last = words.at(-1) === '' ? '+' : (words.at(-1) ?? '');
  const modifiers = new Set(words.slice(0, -1).filter(Boolean));
  return { name: NAMES[last] ?? last, modifiers };
}

/** Whether a key was let go. */
export function isKeyRelease(data: string): boolean {
  return readKey(data)?.event === 'release';
}

/** Whether a key is held down. */
export function isKeyRepeat(data: string): boolean {
  return readKey(data)?.event === 'repeat';
}

/** What a key types, when it came in kitty's form. */
export function decodeKittyPrintable(data: string): string | undefined {
  return data.startsWith('\u001b[') && data.endsWith('u') ? readKey(data)?.text || undefined : undefined;
}

/** What a key or a paste types; nothing for keys that type nothing. */
export function typedText(data: string): string {
  const pasted = /^\u001b\[200~([\s\S]*?)(?:\u001b\[201~)?$/.exec(data); // oxlint-disable-line no-control-regex
  if (pasted) return (pasted[1] ?? '').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  if (!data.startsWith('\u001b') && [...data].length > 1) return data.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  return readKey(data)?.text ?? '';
}

/** Whether the terminal tells keys apart in kitty's way. */
export const isKittyProtocolActive = (): boolean => false;

/** The screen decides about it. */
export const setKittyProtocolActive = (): void => undefined;
