/** Lists in place of the editor: shown, answered, and shown again where a key asked for something in between. */
import { keyHints, type SelectItem, SelectList, type SelectListOptions } from '@tenon/components';
import type { PickerAction } from '../keys/actions.ts';
import type { Seat } from '../seat.ts';
import { framed } from './framed.ts';

/** What the user did: chose an item, or pressed a key that stands for an action. */
export interface PickerAnswer<T> {
  readonly action: string;
  readonly item: SelectItem<T> | undefined;
}

/** How a picker is made. */
export interface PickerOptions<T> extends Omit<
  SelectListOptions<T>,
  'look' | 'onChoose' | 'onCancel' | 'onKey' | 'requestFrame' | 'maxRows'
> {
  /** What the answer says, by the action of the keymap that leads to it. */
  readonly keys?: Readonly<Partial<Record<PickerAction, string>>>;
}

/** The last row of a list where nothing else is to say: what taking and closing do. */
export function closingHints(seat: Seat, take: string, close: string): string {
  return keyHints(seat, [
    ['list.choose', take],
    ['list.close', close],
  ]);
}

/** The action of Enter. */
export const CHOOSE = 'choose';

/** Rows of a dialog beside its items and its preview, and rows that the rest of the screen keeps. */
const OTHER_ROWS = 9;
const MOST_ROWS = 14;

/** How many rows of a list fit the terminal. */
export function listRows(seat: Pick<Seat, 'rows'>, others = 0): number {
  return Math.max(3, Math.min(MOST_ROWS, seat.rows - OTHER_ROWS - others));
}

/** A list that keeps its filter and its selection while questions come in between. */
export class ListPicker<T> {
  readonly #seat: Seat;
  readonly list: SelectList<T>;
  #done: (answer: PickerAnswer<T> | undefined) => void = () => undefined;

  constructor(seat: Seat, { keys = {}, preview: wanted, ...options }: PickerOptions<T>) {
    this.#seat = seat;
    const shown = wanted && seat.onlyGrows !== true ? { preview: wanted } : {};
    const preview = 'preview' in shown ? (options.previewRows ?? 8) + 1 : 0;
    this.list = new SelectList<T>({
      ...options,
      ...shown,
      look: seat,
      get maxRows() {
        return listRows(seat, preview);
      },
      requestFrame: () => seat.requestFrame(),
      onChoose: (item) => this.#done({ action: CHOOSE, item }),
      onCancel: () => this.#done(undefined),
      onKey: (_name, item, data) => {
        const action = Object.entries(keys).find(([name]) => seat.isKey(data, name))?.[1];
        if (action !== undefined) this.#done({ action, item });
        return action !== undefined;
      },
    });
  }

  /** What the user does next; nothing when the list was closed. */
  async next(): Promise<PickerAnswer<T> | undefined> {
    this.list.invalidate();
    try {
      return await this.#seat.ask<PickerAnswer<T>>((done) => {
        this.#done = done;
        return framed(this.#seat, this.list);
      });
    } finally {
      this.list.stop();
    }
  }
}

/** Lets the user choose one thing; nothing when the list was closed. */
export async function chooseOne<T>(seat: Seat, options: PickerOptions<T>): Promise<SelectItem<T> | undefined> {
  return (await new ListPicker(seat, options).next())?.item;
}

/** How often something that changes by itself is looked at, while its list is open. */
const REFRESH_MS = 1_000;

/** Does work during which a list is looked at again and again, as long as `isMoving` says that something changes by itself. */
export async function refreshing(
  seat: Pick<Seat, 'requestFrame'>,
  parts: { isMoving(): boolean; refresh(): void | Promise<void> },
  work: () => Promise<void>,
): Promise<void> {
  const look = async () => {
    if (!parts.isMoving()) return;
    await parts.refresh();
    seat.requestFrame();
  };
  // What cannot be looked at now is looked at again in a second, or when the user does something.
  const timer = setInterval(() => void look().catch(() => undefined), REFRESH_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}
