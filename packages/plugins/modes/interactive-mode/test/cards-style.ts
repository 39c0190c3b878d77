/** How cards are drawn in tests: real columns, the real dark theme. */
import { BUILT_IN_THEMES, createTheme } from '@tenon/components';
import { loadAccelerator } from '@tenon/native';
import type { CardStyle } from '@tenon/screen-slots/api';

export const text = await loadAccelerator('text');
export const theme = createTheme(BUILT_IN_THEMES.dark, 'truecolor');

/** A style as the screen hands it out. */
export function styleOf(width: number, isExpanded = false, cwd = '/srv/project'): CardStyle {
  return {
    theme,
    width,
    isExpanded,
    cwd,
    wrap: (value, columns = width) => text.wrap(text.sanitize(value, { keepStyle: true }), columns),
    plain: (value) => text.sanitize(value),
  };
}

/** Rows as a person reads them. */
export const bare = (rows: readonly string[]): string[] => rows.map((row) => text.sanitize(row));

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const STYLES = /\u001b\[[\d;:]*m/g;
// oxlint-disable-next-line no-control-regex -- the same
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Rows that must not be: too wide, or with control sequences other than styles. A wide character needs two columns. */
export function badRows(rows: readonly string[], width: number): string[] {
  return rows.filter((row) => text.width(row) > Math.max(width, 2) || CONTROL.test(row.replace(STYLES, '')));
}
