import { readKey } from '@tenon/screen';
import { describe, expect, it } from 'vitest';
import { keyBytes } from '../src/terminal/key-bytes.ts';

/** What a program inside gets for what the screen's terminal sent. */
function sent(data: string, isApplication = false): string {
  const key = readKey(data);
  if (!key) throw new Error(`no key: ${JSON.stringify(data)}`);
  return keyBytes(key, data, isApplication);
}

describe('keys for a program inside', () => {
  it.each([
    ['a letter', 'a', 'a'],
    ['a capital in kitty’s protocol', '\x1b[97:65;2;65u', 'A'],
    ['Enter', '\r', '\r'],
    ['Enter in kitty’s protocol', '\x1b[13u', '\r'],
    ['Escape in kitty’s protocol', '\x1b[27u', '\x1b'],
    ['Ctrl-C in kitty’s protocol', '\x1b[99;5u', '\x03'],
    ['Ctrl-W as a byte', '\x17', '\x17'],
    ['Alt-b in kitty’s protocol', '\x1b[98;3u', '\x1bb'],
    ['Backspace', '\x7f', '\x7f'],
    ['Shift-Tab', '\x1b[Z', '\x1b[Z'],
    ['an arrow', '\x1b[A', '\x1b[A'],
    ['Ctrl and an arrow', '\x1b[1;5C', '\x1b[1;5C'],
    ['Delete', '\x1b[3~', '\x1b[3~'],
    ['F1', '\x1bOP', '\x1bOP'],
    ['F5', '\x1b[15~', '\x1b[15~'],
    ['a letter with an accent', 'é', 'é'],
  ])('%s', (_name, data, bytes) => expect(sent(data)).toBe(bytes));

  it('sends arrows as programs that use the whole screen want them', () => {
    expect(sent('\x1b[A', true)).toBe('\x1bOA');
    expect(sent('\x1b[1;5A', true)).toBe('\x1b[1;5A');
  });
});
