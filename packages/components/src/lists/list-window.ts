/** Which entry is selected, and which rows of a long list are seen. */

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

  /** Moves as the key says; true when the key is one that moves. Single steps go around at the ends. */
  move(name: string | undefined, count: number, page: number): boolean {
    const at = this.#selected;
    const around = (index: number) => (count === 0 ? 0 : (index + count) % count);
    const targets: Readonly<Record<string, number>> = {
      up: around(at - 1),
      'ctrl+p': around(at - 1),
      down: around(at + 1),
      'ctrl+n': around(at + 1),
      pageup: at - Math.max(1, page),
      pagedown: at + Math.max(1, page),
      home: 0,
      end: count - 1,
    };
    const target = name === undefined ? undefined : targets[name];
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
