/** What the tests of lists share: a theme without colours, one with, and keys. */
import { CURSOR_MARKER } from '@tenon/screen';
import type { Theme } from '../src/index.ts';

const same = (text: string): string => text;

export const PLAIN: Theme = {
  name: 'plain',
  isDark: true,
  fg: (_, text) => text,
  bg: (_, text) => text,
  bold: same,
  dim: same,
  italic: same,
  underline: same,
  inverse: same,
  strikethrough: same,
};

const sgr = (on: number, off: number) => (text: string) => `\x1b[${on}m${text}\x1b[${off}m`;

export const COLOURED: Theme = {
  ...PLAIN,
  name: 'coloured',
  fg: (_, text) => sgr(36, 39)(text),
  bg: (_, text) => sgr(44, 49)(text),
  bold: sgr(1, 22),
  inverse: sgr(7, 27),
};

export const KEYS = {
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageUp: '\x1b[5~',
  pageDown: '\x1b[6~',
  enter: '\r',
  escape: '\x1b',
  backspace: '\x7f',
  ctrlN: '\x0e',
  ctrlP: '\x10',
  ctrlR: '\x12',
  ctrlU: '\x15',
  ctrlW: '\x17',
};

/** Types a text, letter by letter. */
export function type(to: { handleInput(data: string): void }, text: string): void {
  for (const letter of text) to.handleInput(letter);
}

/** Rows as people see them, without the caret. */
export function shown(rows: readonly string[]): string[] {
  return rows.map((row) => row.replaceAll(CURSOR_MARKER, '').trimEnd());
}
