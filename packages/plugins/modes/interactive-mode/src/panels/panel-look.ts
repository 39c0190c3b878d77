/** What panels draw with. */
import type { Seat } from '../seat.ts';

/** Theme and columns; the theme is read for every frame. */
export type PanelLook = Pick<Seat, 'theme' | 'text'>;

/** Rows that are not wider than the screen. */
export function fitted({ text }: PanelLook, rows: readonly string[], width: number): string[] {
  return rows.map((row) => (text.width(row) > width ? text.truncate(row, width) : row));
}
