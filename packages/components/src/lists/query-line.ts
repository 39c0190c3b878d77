/** What is typed to filter a list. Keys that move go to the list, so the caret stays at the end. */
import { CURSOR_MARKER } from '@tenon/screen';

import { previousBorder } from '../editor/graphemes.ts';
import type { ListAction } from './list-actions.ts';
import { typedText } from './list-keys.ts';
import type { ListText } from './look.ts';

/** More than that is no filter that somebody types. */
const MOST_CHARACTERS = 1_000;

/** The line of a filter. */
export class QueryLine {
  #value = '';

  get value(): string {
    return this.#value;
  }

  /** Takes a key or a paste, and what it does in a list; true when the text changed. */
  handleInput(data: string, action: ListAction | undefined): boolean {
    const before = this.#value;
    const typed = typedText(data);
    if (typed !== '') this.#value = (before + typed).slice(0, MOST_CHARACTERS);
    else if (action === 'list.deleteBack') this.#value = before.slice(0, previousBorder(before, before.length));
    else if (action === 'list.deleteWord') this.#value = before.replace(/\S*\s*$/, '');
    else if (action === 'list.clearFilter') this.#value = '';
    return this.#value !== before;
  }

  /** The end of the line in this many columns, with the caret. */
  render(text: ListText, width: number): string {
    const end = text.width(this.#value);
    return text.slice(this.#value, Math.max(0, end - Math.max(0, width - 1)), end) + CURSOR_MARKER;
  }
}
