/** Keys as Windows' consoles send them in win32-input-mode: `CSI Vk;Sc;Uc;Kd;Cs;Rc _`, numbers of its KEY_EVENT_RECORD. */
import type { Key } from './keys.ts';

const NAMES: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  32: 'space',
  33: 'pageup',
  34: 'pagedown',
  35: 'end',
  36: 'home',
  37: 'left',
  38: 'up',
  39: 'right',
  40: 'down',
  45: 'insert',
  46: 'delete',
};
const FIRST_FUNCTION_KEY = 112;
const LAST_FUNCTION_KEY = 123;
const RIGHT_ALT = 1;
const ALT = 3;
const CTRL = 12;
const SHIFT = 16;

/** The key of the parameters; nothing for keys such as Shift alone, which do nothing by themselves. */
export function readWindowsKey(parameters: string): Key | undefined {
  const [virtual = 0, , character = 0, isDown = 0, state = 0] = parameters.split(';').map(Number);
  const typed = isTyped(character);
  const name = nameOf(virtual, typed ? character : 0);
  if (name === undefined) return undefined;
  // AltGr comes as Alt with Ctrl, and types.
  const isAltGr = typed && (state & RIGHT_ALT) !== 0 && (state & CTRL) !== 0;
  const [ctrl, alt] = isAltGr ? [false, false] : [(state & CTRL) !== 0, (state & ALT) !== 0];
  return {
    name,
    ctrl,
    alt,
    shift: (state & SHIFT) !== 0,
    super: false,
    event: isDown === 1 ? 'press' : 'release',
    text: typed && !ctrl && !alt && isDown === 1 ? String.fromCodePoint(character) : '',
  };
}

/** A character of 16 bits that is no control and no half of a longer one; anything may stand in a sequence. */
function isTyped(character: number): boolean {
  if (!Number.isInteger(character) || character > 0xffff) return false;
  const isControl = character < 0x20 || (character >= 0x7f && character < 0xa0);
  return !isControl && !(character >= 0xd800 && character <= 0xdfff);
}

function nameOf(virtual: number, character: number): string | undefined {
  if (NAMES[virtual]) return NAMES[virtual];
  if (virtual >= FIRST_FUNCTION_KEY && virtual <= LAST_FUNCTION_KEY) return `f${virtual - FIRST_FUNCTION_KEY + 1}`;
  if (character > 0) return String.fromCodePoint(character).toLowerCase();
  // With Ctrl the character is a control: the digits and letters have their own codes.
  const isPlain = (virtual >= 48 && virtual <= 57) || (virtual >= 65 && virtual <= 90);
  return isPlain ? String.fromCodePoint(virtual).toLowerCase() : undefined;
}
