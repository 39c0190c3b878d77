/** What lists draw with, and how their rows are made to fit. */
import { CURSOR_MARKER, type TextColumns } from '@tenon/screen';
import type { Theme } from '../theme/theme.ts';
import type { KeyTable } from './list-actions.ts';

/** Columns of text, and text broken into rows: `loadAccelerator('text')` of @tenon/native is one. */
export interface ListText extends TextColumns {
  truncate(text: string, width: number, ellipsis?: string): string;
  wrap(text: string, width: number): string[];
}

/** How lists look, and which keys they have; the theme is read for every frame. */
export interface ListLook extends KeyTable {
  readonly theme: Theme;
  readonly text: ListText;
}

/** Text of others on one row: without control sequences, line feeds and tabs. */
export function plainRow(text: ListText, value: string): string {
  return text.sanitize(value, { keepStyle: false }).replaceAll(/\s+/g, ' ');
}

/** A row in at most this many columns; the caret's marker stays where it was. */
export function fit(text: ListText, row: string, width: number): string {
  if (width <= 0) return '';
  const marker = row.indexOf(CURSOR_MARKER);
  if (marker < 0) return text.truncate(row, width);
  const whole = row.replaceAll(CURSOR_MARKER, '');
  const cut = text.width(whole) > width ? text.slice(whole, 0, width) : whole;
  const at = Math.min(text.width(row.slice(0, marker)), Math.max(0, width - 1));
  return text.slice(cut, 0, at) + CURSOR_MARKER + text.slice(cut, at, width);
}

/** Two texts at both ends of a row. The right one is left out where it would take more than half of the row. */
export function bothEnds(text: ListText, left: string, right: string, width: number): string {
  const taken = text.width(right);
  if (taken === 0 || taken + 2 > width / 2) return fit(text, left, width);
  const cut = fit(text, left, width - taken - 2);
  return cut + ' '.repeat(width - taken - text.width(cut.replaceAll(CURSOR_MARKER, ''))) + right;
}

/** The row with blanks up to the width, for rows with a colour behind them. */
export function padded(text: ListText, row: string, width: number): string {
  return row + ' '.repeat(Math.max(0, width - text.width(row)));
}

/** An entry of a list as it is told: its words, and its place among all. */
export function spokenEntry(text: ListText, parts: readonly (string | undefined)[], at: number, count: number): string {
  const words = parts.map((part) => plainRow(text, part ?? '').trim()).filter((part) => part !== '');
  return [...words, `${at + 1} of ${count}`].join(', ');
}

/** What a list without entries says: that nothing matches what was typed, or its own words. */
export function emptyText(query: string, own = 'There is nothing to choose from.'): string {
  return query === '' ? own : 'Nothing matches.';
}
