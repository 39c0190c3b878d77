/** Keys by name: `ctrl+shift+a`, `alt+enter`, `escape`, `f5`. */
import { type Key, readKey } from '@tenon/screen';

const ALIASES: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  ins: 'insert',
  pgup: 'pageup',
  pgdn: 'pagedown',
  spacebar: 'space',
  plus: '+',
};

const MODIFIERS: Readonly<Record<string, 'ctrl' | 'alt' | 'shift' | 'super'>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  alt: 'alt',
  option: 'alt',
  opt: 'alt',
  shift: 'shift',
  super: 'super',
  cmd: 'super',
  win: 'super',
};

/** Keys that have a name; all others are the character that they type. */
const NAMED: ReadonlySet<string> = new Set([
  ...['up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown', 'insert', 'delete', 'clear'],
  ...['enter', 'escape', 'tab', 'space', 'backspace'],
  ...Array.from({ length: 12 }, (_, at) => `f${at + 1}`),
]);

/** The one way to write a key, so that names can be compared; nothing for what names no key. */
export function canonicalKey(spec: string): string | undefined {
  const { name, ctrl, alt, shift, super: held } = readSpec(spec);
  const before = spec.slice(0, spec.endsWith('+') ? -1 : spec.lastIndexOf('+') + 1);
  const areModifiers = before
    .split('+')
    .filter(Boolean)
    .every((part) => part.toLowerCase() in MODIFIERS);
  if (!areModifiers || (Array.from(name).length !== 1 && !NAMED.has(name))) return undefined;
  return [ctrl && 'ctrl+', alt && 'alt+', shift && 'shift+', held && 'super+', name].filter(Boolean).join('');
}

interface KeySpec {
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly super: boolean;
}

const specs = new Map<string, KeySpec>();
let last: { readonly data: string; readonly key: Key | undefined } | undefined;

/** Whether what the terminal sent is the key that `spec` names; a key that is let go is none. */
export function matchesKey(data: string, spec: string): boolean {
  // One key is held against many names.
  if (last?.data !== data) last = data.length > 64 ? { data: '', key: undefined } : { data, key: readKey(data) };
  const { key } = last;
  if (!key || key.event === 'release') return false;
  const wanted = readSpec(spec);
  if (wanted.ctrl !== key.ctrl || wanted.alt !== key.alt || wanted.super !== key.super) return false;
  if (wanted.name === key.name && wanted.shift === key.shift) return true;
  // With which shift a sign is typed depends on the keyboard.
  return !wanted.shift && wanted.name.length === 1 && key.text === wanted.name;
}

function readSpec(spec: string): KeySpec {
  const known = specs.get(spec);
  if (known) return known;
  // The plus sign joins, and is a key.
  const parts = spec.endsWith('+') ? [...spec.slice(0, -1).split('+').filter(Boolean), '+'] : spec.split('+');
  const held = { ctrl: false, alt: false, shift: false, super: false };
  const name = parts.pop() ?? '';
  for (const part of parts) {
    const modifier = MODIFIERS[part.toLowerCase()];
    if (modifier) held[modifier] = true;
  }
  const small = name.toLowerCase();
  // A capital is the letter with shift.
  const isCapital = [...name].length === 1 && small !== name;
  const read = { ...held, name: ALIASES[small] ?? small, shift: held.shift || isCapital };
  specs.set(spec, read);
  return read;
}
