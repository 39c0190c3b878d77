/** Themes, seen while one moves through them. */
import { SelectList } from '@tenon/components';
import type { Seat } from '../seat.ts';
import { framed } from './framed.ts';
import { listRows, closingHints } from './list-picker.ts';
import { reporting } from './small-dialogs.ts';

/** What themes there are, and how one is used. */
export interface ThemeChoices {
  readonly names: readonly string[];
  readonly current: string;
  /** Uses a theme for now: called for each one that the user looks at. */
  apply(name: string): void | Promise<void>;
  /** Keeps the one that the user took. */
  save?(name: string): Promise<void>;
}

/** Lets the user choose a theme; closing the list brings the one before back. */
export async function openTheme(seat: Seat, { names, current, apply, save }: ThemeChoices): Promise<void> {
  const use = (name: string) =>
    reporting(seat, async () => {
      await apply(name);
      seat.requestFrame();
    });
  const chosen = await seat.ask<string>((done) =>
    framed(
      seat,
      new SelectList<string>({
        look: seat,
        title: 'Theme',
        items: names.map((value) => ({ value, label: value, isCurrent: value === current })),
        get maxRows() {
          return listRows(seat);
        },
        footer: () => closingHints(seat, 'choose', 'keep the old one'),
        onMove: (item) => void use(item?.value ?? current),
        onChoose: ({ value }) => done(value),
        onCancel: () => done(undefined),
      }),
    ),
  );
  await use(chosen ?? current);
  if (chosen !== undefined) await reporting(seat, async () => save?.(chosen));
}
