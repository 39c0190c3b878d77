/** How much an extension may put on the screen; the same on both sides of the process boundary. */

/** More rows than any terminal shows. */
export const MAX_ROWS = 1_000;
/** A row of a wide terminal with a colour for every character. */
export const MAX_ROW_CHARS = 20_000;
/** All rows together. */
export const MAX_CHARS = 1_000_000;

/** As many rows as may be shown. */
export function cutRows(rows: readonly string[]): string[] {
  const kept: string[] = [];
  let left = MAX_CHARS;
  for (const row of rows.slice(0, MAX_ROWS)) {
    if (left <= 0) break;
    const cut = row.slice(0, Math.min(MAX_ROW_CHARS, left));
    left -= cut.length;
    kept.push(cut);
  }
  return kept;
}
