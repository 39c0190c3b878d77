import { loadAccelerator } from '@tenon/native';
import { CURSOR_MARKER } from '@tenon/screen';

import { Editor, type EditorOptions } from '../src/editor/index.ts';
import type { Theme } from '../src/theme/theme.ts';

/** What the program gives to the editor. */
export const text = await loadAccelerator('text');

const plain = (_color: string, shown: string): string => shown;
const same = (shown: string): string => shown;

/** A theme without colours. */
export const plainTheme: Theme = {
  name: 'plain',
  isDark: true,
  fg: plain,
  bg: plain,
  bold: same,
  dim: same,
  italic: same,
  underline: same,
  inverse: same,
  strikethrough: same,
};

/** A theme that marks every part, so that widths and places have to be right with styles. */
export const colouredTheme: Theme = {
  ...plainTheme,
  fg: (_color, shown) => `\x1b[31m${shown}\x1b[39m`,
  bg: (_color, shown) => `\x1b[41m${shown}\x1b[49m`,
};

/** An editor without colours. */
export const makeEditor = (options: Partial<EditorOptions> = {}): Editor =>
  new Editor({ text, theme: () => plainTheme, ...options });

/** Keys by the names that tests use. */
export const KEYS = {
  enter: '\r',
  newline: '\n',
  tab: '\t',
  escape: '\x1b',
  backspace: '\x7f',
  delete: '\x1b[3~',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageUp: '\x1b[5~',
  pageDown: '\x1b[6~',
  wordLeft: '\x1bb',
  wordRight: '\x1bf',
  textStart: '\x1b<',
  textEnd: '\x1b>',
  killToEnd: '\x0b',
  killToStart: '\x15',
  killWordBack: '\x17',
  killWordForward: '\x1bd',
  yank: '\x19',
  yankPop: '\x1by',
  undo: '\x1f',
  redo: '\x1b_',
  search: '\x12',
} as const;

/** Types a text, one character after the other, as a terminal sends it. */
export function type(target: { handleInput(data: string): void }, typed: string): void {
  for (const character of typed) target.handleInput(character);
}

/** Presses keys by name. */
export function press(target: { handleInput(data: string): void }, ...names: (keyof typeof KEYS)[]): void {
  for (const name of names) target.handleInput(KEYS[name]);
}

/** A paste as terminals send it. */
export const paste = (pasted: string): string => `\x1b[200~${pasted}\x1b[201~`;

/** Rows without the caret. */
export const rowsOf = (target: { render(width: number): string[] }, width: number): string[] =>
  target.render(width).map((row) => row.replaceAll(CURSOR_MARKER, ''));

/** The row and the column of the caret. */
export function caretOf(target: { render(width: number): string[] }, width: number): [number, number] {
  const rows = target.render(width);
  const row = rows.findIndex((shown) => shown.includes(CURSOR_MARKER));
  return [row, text.width(rows[row]?.split(CURSOR_MARKER)[0] ?? '')];
}
