/** Names of keys in the forms that terminals send: legacy, kitty's protocol, xterm's modifyOtherKeys, Windows' own. */
import { readWindowsKey } from './windows-keys.ts';

/** A key, with what was held down. */
export interface Key {
  /** `a`, `é`, `enter`, `up`, `f5`…; letters are small, `shift` says the rest. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly super: boolean;
  readonly event: 'press' | 'repeat' | 'release';
  /** What it types; nothing for keys that do not. */
  readonly text: string;
}

const LETTERS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'clear',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

const TILDES: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

const CODES: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  32: 'space',
  127: 'backspace',
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
};

/** The digits and signs of the keypad, from kitty's code 57399 on. */
const KEYPAD = '0123456789./*-+';
const KEYPAD_START = 57399;
/** Kitty's codes without a character of their own. */
const PRIVATE_USE = { from: 0xe000, to: 0xf8ff };
const EVENTS = ['press', 'press', 'repeat', 'release'] as const;

/** The key of one complete sequence or character; nothing for a sequence that is no key. */
export function readKey(data: string): Key | undefined {
  if (data.startsWith('\x1b') && data.length > 1) return readEscaped(data);
  return readCharacter(data);
}

function readEscaped(data: string): Key | undefined {
  if (data.startsWith('\x1bO') && data.length > 2) return readSingleShift(data);
  if (data.startsWith('\x1b[') && data.length > 2) return readControlSequence(data);
  // The older way to say Alt: an escape before the key.
  const rest = data.slice(1);
  const isOne = rest.startsWith('\x1b') || rest.length === ((rest.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
  const key = isOne ? readKey(rest) : undefined;
  return key && { ...key, alt: true, text: '' };
}

function readSingleShift(data: string): Key | undefined {
  const final = data.at(-1) ?? '';
  // Konsole sends it for Shift and Enter; the keypad's own Enter only where its application mode is on, which a start turns off.
  if (data === '\x1bOM') return named('enter', { ...plain(), shift: true });
  // rxvt's arrows with Ctrl.
  if ('abcd'.includes(final)) return named(LETTERS[final.toUpperCase()], { ...plain(), ctrl: true });
  return named(LETTERS[final], modifiers(data.slice(2, -1).split(';').at(-1) ?? ''));
}

function readControlSequence(data: string): Key | undefined {
  const final = data.at(-1) ?? '';
  const body = data.slice(2, -1);
  // The Linux console's function keys.
  if (body.startsWith('['))
    return 'ABCDE'.includes(final) ? named(`f${'ABCDE'.indexOf(final) + 1}`, plain()) : undefined;
  if (/[^\d;:]/.test(body)) return undefined;
  const [first = '', second = '', third = ''] = body.split(';');
  if (final === '_') return readWindowsKey(body);
  if (final === 'u') return readKitty(first, second, third);
  if (final === 'Z') return named('tab', { ...modifiers(second), shift: true });
  if (final === '~' && first === '27' && third !== '') return fromCode(Number(third), modifiers(second));
  if (final === '~') return named(TILDES[Number(first)], modifiers(second));
  // rxvt says the modifier with the last character.
  if ('^$@'.includes(final))
    return named(TILDES[Number(first)], { ...plain(), ctrl: final !== '$', shift: final !== '^' });
  if ('abcd'.includes(final) && body === '') return named(LETTERS[final.toUpperCase()], { ...plain(), shift: true });
  // Where the cursor is has the same end; a terminal says F3 with what is held down like this only.
  if (final === 'R' && !/^(?:1;(?:[2-9]|1[0-6])(?::\d)?)?$/.test(body)) return undefined;
  return named(LETTERS[final], modifiers(second));
}

function readKitty(codes: string, held: string, typed: string): Key | undefined {
  const [code = '', shifted = ''] = codes.split(':');
  const key = fromCode(Number(code), modifiers(held));
  if (!key || key.event === 'release') return key;
  const points = typed.split(':').filter(Boolean).map(Number);
  if (points.length > 0 && points.every(isCharacter)) return { ...key, text: String.fromCodePoint(...points) };
  return key.shift && key.text !== '' && isCharacter(Number(shifted)) && shifted !== ''
    ? { ...key, text: String.fromCodePoint(Number(shifted)) }
    : key;
}

const isCharacter = (code: number): boolean =>
  Number.isInteger(code) && code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);

type Held = Pick<Key, 'ctrl' | 'alt' | 'shift' | 'super' | 'event'>;

const plain = (): Held => ({ ctrl: false, alt: false, shift: false, super: false, event: 'press' });

/** `5` is Ctrl, `5:3` is Ctrl let go: one more than a sum of bits, and the kind of event. */
function modifiers(held: string): Held {
  const [sum = '', event = ''] = held.split(':');
  const bits = Math.max(0, Number(sum || '1') - 1);
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 2) !== 0,
    ctrl: (bits & 4) !== 0,
    super: (bits & 8) !== 0,
    event: EVENTS[Number(event || '1')] ?? 'press',
  };
}

function named(name: string | undefined, held: Held): Key | undefined {
  return name === undefined ? undefined : { name, ...held, text: '' };
}

function fromCode(code: number, held: Held): Key | undefined {
  const types = !held.ctrl && !held.alt && !held.super && held.event !== 'release';
  const name = CODES[code];
  if (name) return { name, ...held, text: types && name === 'space' ? ' ' : '' };
  const pad = KEYPAD[code - KEYPAD_START];
  if (pad !== undefined) return { name: pad, ...held, text: types ? pad : '' };
  if (!isCharacter(code) || (code >= PRIVATE_USE.from && code <= PRIVATE_USE.to)) return undefined;
  const character = String.fromCodePoint(code);
  const small = character.toLowerCase();
  const shift = held.shift || small !== character;
  const typed = shift ? character.toUpperCase() : character;
  return { name: small, ...held, shift, text: types ? typed : '' };
}

function readCharacter(data: string): Key | undefined {
  const code = data.codePointAt(0);
  if (code === undefined) return undefined;
  if (code === 0) return named('space', { ...plain(), ctrl: true });
  // A line feed is what Ctrl-J sends; editors take it for a new line.
  if (code < 0x20 && CODES[code] === undefined) return named(controlName(code), { ...plain(), ctrl: true });
  // Typed as it is: what the terminal sent may be more than one character, or have no capital.
  const key = fromCode(code, plain());
  return key && { ...key, text: code >= 0x20 && code !== 0x7f ? data : '' };
}

/** Ctrl-A is 1, Ctrl-[ to Ctrl-_ are 27 to 31. */
const controlName = (code: number): string => String.fromCodePoint(code + 0x40).toLowerCase();
