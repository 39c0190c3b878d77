/** A long text on the whole screen. */
import { Pager } from '@tenon/components';
import { plainText } from '@tenon/wording';
import type { Seat } from '../seat.ts';

/** Shows a text until the user closes it. */
export async function showText(seat: Seat, title: string, text: string, start: 'top' | 'end' = 'end'): Promise<void> {
  const shown = plainText(text).trimEnd() || '(nothing)';
  await seat.askFullscreen<never>(
    (done) =>
      new Pager({
        look: seat,
        title,
        start,
        rows(width) {
          const rows = seat.text.wrap(shown, width);
          return { length: rows.length, row: (index) => rows[index] ?? '' };
        },
        height: () => seat.rows,
        requestFrame: () => seat.requestFrame(),
        onClose: () => done(undefined),
      }),
  );
}
