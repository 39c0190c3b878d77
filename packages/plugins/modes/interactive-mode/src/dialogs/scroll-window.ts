/** A part of rows that are too many, moved by keys. Nothing that a person decides about is cut off. */
import type { Look } from './look.ts';

/** The rows that are seen. */
export class ScrollWindow {
  #top = 0;
  #page = 1;
  #last = 0;

  /** Takes a key that scrolls; false for others. */
  handleKey(name: string | undefined): boolean {
    const by = { pageup: -this.#page, pagedown: this.#page, 'shift+up': -1, 'shift+down': 1 }[name ?? ''];
    if (by === undefined) return false;
    this.#top = Math.max(0, Math.min(this.#last, this.#top + by));
    return true;
  }

  /** All rows where they fit, else those of the moment and which they are. */
  render({ theme }: Pick<Look, 'theme'>, rows: readonly string[], most: number): string[] {
    if (rows.length <= most) {
      [this.#top, this.#last] = [0, 0];
      return [...rows];
    }
    this.#page = Math.max(1, most - 1);
    this.#last = rows.length - this.#page;
    this.#top = Math.min(this.#top, this.#last);
    const end = this.#top + this.#page;
    const place = `rows ${this.#top + 1}-${end} of ${rows.length} · pgup and pgdn show the rest`;
    return [...rows.slice(this.#top, end), theme.fg('warning', place)];
  }
}
