/** Answers to choose from, with arrows, numbers or letters. Long ones are broken, not cut. */
import { keyName, type KeyTable, listAction, typedText } from '@tenon/components';
import { plainLine } from '@tenon/wording';
import type { Look } from './look.ts';
import { plainRows } from './look.ts';

/** One answer. */
export interface Option {
  readonly label: string;
  /** Shown below the label; only for the selected answer when `detailOnlySelected`. */
  readonly detail?: string;
  readonly detailOnlySelected?: boolean;
  /** The letter that takes it. */
  readonly letter?: string;
  /** Stands before the label: a box to check. */
  readonly mark?: string;
}

const PASTE = '\u001b[200~';

/** What a key did. */
export type OptionKey = 'moved' | 'take' | undefined;

/** A list with a selection. */
export class OptionList {
  selected = 0;

  /** What a key means; `take` is for the selected answer. Numbers and letters select and take at once. */
  handleKey(keys: KeyTable, data: string, options: readonly Option[]): OptionKey {
    const action = listAction(keys, data);
    // What is pasted was meant for something else.
    const typed = data.startsWith(PASTE) ? '' : typedText(data);
    const count = options.length;
    if (count === 0) return undefined;
    if (action === 'list.choose') return 'take';
    if (action === 'list.up') return this.#move(count - 1, count);
    if (action === 'list.down' || keyName(data) === 'tab') return this.#move(1, count);
    if (action === 'list.first') return this.#to(0);
    if (action === 'list.last') return this.#to(count - 1);
    if (typed.length !== 1) return undefined;
    const byLetter = options.findIndex(({ letter }) => letter !== undefined && letter === typed.toLowerCase());
    const hasLetters = options.some(({ letter }) => letter !== undefined);
    const at = hasLetters ? byLetter : '123456789'.indexOf(typed);
    if (at < 0 || at >= count) return undefined;
    this.selected = at;
    return 'take';
  }

  /** The selected answer as it is told: its key, its words, its place. */
  spoken(options: readonly Option[]): string | undefined {
    const option = options[this.selected];
    if (!option) return undefined;
    const key = option.letter ?? (this.selected < 9 ? String(this.selected + 1) : undefined);
    const words = [option.mark?.trim(), option.label, option.detail].map((part) => plainLine(part ?? ''));
    const said = words.filter((part) => part !== '').join(', ');
    return `${key === undefined ? '' : `${key}: `}${said}, ${this.selected + 1} of ${options.length}`;
  }

  #move(by: number, count: number): OptionKey {
    this.selected = (this.selected + by) % count;
    return 'moved';
  }

  #to(at: number): OptionKey {
    this.selected = at;
    return 'moved';
  }

  /** The rows, at most so many: those around the selected answer. */
  render(look: Look, options: readonly Option[], width: number, most: number): string[] {
    this.selected = Math.min(this.selected, Math.max(0, options.length - 1));
    const blocks = options.map((option, index) => optionRows(look, option, index, index === this.selected, width));
    const before = blocks.slice(0, this.selected).reduce((sum, rows) => sum + rows.length, 0);
    const all = blocks.flat();
    if (all.length <= most) return all;
    const own = blocks[this.selected]?.length ?? 1;
    const start = Math.max(0, Math.min(before - Math.floor((most - own) / 2), all.length - most));
    return all.slice(start, start + most);
  }
}

function optionRows(look: Look, option: Option, index: number, isSelected: boolean, width: number): string[] {
  const { theme } = look;
  const key = option.letter ?? (index < 9 ? String(index + 1) : ' ');
  const head = `${isSelected ? theme.fg('accent', '❯') : ' '} ${theme.fg('dim', key)} ${option.mark ?? ''}`;
  const indent = 4 + (option.mark === undefined ? 0 : look.text.width(option.mark));
  const rows = plainRows(look, option.label, width - indent, isSelected ? 'accent' : 'text');
  const isShown = option.detail !== undefined && (isSelected || option.detailOnlySelected !== true);
  const detail = isShown ? plainRows(look, option.detail ?? '', width - indent - 2, 'muted') : [];
  return [
    ...rows.map((row, at) => (at === 0 ? `${head}${row}` : `${' '.repeat(indent)}${row}`)),
    ...detail.map((row) => `${' '.repeat(indent + 2)}${row}`),
  ];
}
