/** How dialogs look: a rule above, a title, rows, a last row that says what keys do. */
import type { KeyTable, ThemeColor } from '@tenon/components';
import { CURSOR_MARKER } from '@tenon/screen';
import { plainText } from '@tenon/wording';
import type { CardStyle } from '@tenon/screen-slots/api';
import type { Seat } from '../seat.ts';

/** What dialogs draw with; the theme is read for every frame. */
export type Look = Pick<Seat, 'theme' | 'text' | 'rows' | 'onlyGrows' | 'requestFrame'> & KeyTable;

/** The parts of a dialog. */
export interface DialogParts {
  readonly title: readonly string[];
  readonly body: readonly string[];
  readonly footer?: string;
}

/** Rows that are left to others: the editor's neighbours and the last rows of the conversation. */
const ROWS_FOR_OTHERS = 4;
const LEAST_ROWS = 8;
/** Where nothing has to fit the screen. */
const MOST_ROWS = 10_000;

/** How many rows a dialog may have. */
export const roomOf = ({ rows, onlyGrows }: Pick<Look, 'rows' | 'onlyGrows'>): number =>
  onlyGrows === true ? MOST_ROWS : Math.max(LEAST_ROWS, rows - ROWS_FOR_OTHERS);

/** The rows of a dialog, none wider than the screen. */
export function dialogRows({ theme, text }: Look, width: number, { title, body, footer }: DialogParts): string[] {
  const last = footer === undefined ? [] : [theme.fg('dim', footer)];
  const rows = [theme.fg('borderAccent', '─'.repeat(width)), ...title, ...body, ...last];
  return rows.map((row) => {
    // The caret's marker takes no columns, and must not be cut in two.
    const bare = row.replaceAll(CURSOR_MARKER, '');
    return text.width(bare) > width ? text.truncate(bare, width) : row;
  });
}

/** A text of others in rows, without what would change the screen. */
export function plainRows({ theme, text }: Look, value: string, width: number, color: ThemeColor = 'text'): string[] {
  return text.wrap(plainText(value), Math.max(1, width)).map((row) => theme.fg(color, row));
}

/** A text of others in rows, as a title. */
export function titleRows(look: Look, value: string, width: number): string[] {
  return look.text.wrap(plainText(value), Math.max(1, width)).map((row) => look.theme.bold(row));
}

/** What cards draw with, for parts of dialogs that look like them. */
export function cardStyleOf({ theme, text }: Look, width: number): CardStyle {
  return {
    theme,
    width,
    isExpanded: true,
    cwd: '',
    plain: (value) => plainText(text.sanitize(value)),
    wrap: (value, columns = width) => text.wrap(text.sanitize(value, { keepStyle: true }), Math.max(1, columns)),
  };
}
