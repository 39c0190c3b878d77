/** Which entry is selected, and which rows of a long list are seen. */
import type { ListAction } from './list-actions.ts';

/** A selection that moves through a list of any length. */
export class ListWindow {
  #selected = 0;
  #top = 0;

  get selected(): number {
    return this.#selected;
  }

  /** Selects an entry; what is out of range is brought into it. */
  select(index: number, count: number): void {
    this.#selected = Math.max(0, Math.min(index, count - 1));
  }

  /** Moves; true when the action is one that moves. Single steps go around at the ends. */
  move(action: ListAction | undefined, count: number, page: number): boolean {
    const at = this.#selected;
    const around = (index: number) => (count === 0 ? 0 : (index + count) % count);
    const targets: Readonly<Partial<Record<ListAction, number>>> = {
      'list.up': around(at - 1),
      'list.down': around(at + 1),
      'list.pageUp': at - Math.max(1, page),
      'list.pageDown': at + Math.max(1, page),
      'list.first': 0,
      'list.last': count - 1,
    };
    const target = action === undefined ? undefined : targets[action];
    if (target === undefined) return false;
    this.select(target, count);
    return true;
  }

  /** The first row that is seen, with the selected row among `height` of `count` rows. */
  top(row: number, count: number, height: number): number {
    const least = row - height + 1;
    this.#top = Math.max(Math.min(this.#top, row), least, 0);
    this.#top = Math.max(0, Math.min(this.#top, count - height));
    return this.#top;
  }
}
