/** The one-line input of pi-tui. */
import { getEditorKeybindings } from './keybindings.ts';
import { typedText } from './keys.ts';
import { split, visibleWidth } from './text-width.ts';
import { CURSOR_MARKER, Part } from './tui-basics.ts';

const isKey = (data: string, action: string): boolean => getEditorKeybindings().matches(data, action);

/** Characters as a person counts them. */
export function charactersOf(text: string): string[] {
  return [...split(text)].map((part) => part.text);
}

/** Where the word before a place begins. */
export function wordStart(characters: readonly string[], at: number): number {
  let start = at;
  while (start > 0 && /^\s$/.test(characters[start - 1] ?? '')) start--;
  while (start > 0 && !/^\s$/.test(characters[start - 1] ?? '')) start--;
  return start;
}

/** Where the word after a place ends. */
export function wordEnd(characters: readonly string[], at: number): number {
  let end = at;
  while (end < characters.length && /^\s$/.test(characters[end] ?? '')) end++;
  while (end < characters.length && !/^\s$/.test(characters[end] ?? '')) end++;
  return end;
}

/** A line with the caret in it, as a marker and an inverse character. */
export function withCaret(before: string, at: string, after: string, isFocused: boolean): string {
  return `${before}${isFocused ? CURSOR_MARKER : ''}\u001b[7m${at === '' ? ' ' : at}\u001b[27m${after}`;
}

/** A line of text that can be typed into. */
export class Input extends Part {
  focused = false;
  onSubmit: ((value: string) => void) | undefined;
  onEscape: (() => void) | undefined;
  #characters: string[] = [];
  #at = 0;
  getValue(): string {
    return this.#characters.join('');
  }
  setValue(value: string): void {
    this.#characters = charactersOf(String(value));
    this.#at = Math.min(this.#at, this.#characters.length);
  }
  override handleInput(data: string): void {
    const all = this.#characters;
    if (isKey(data, 'selectCancel')) this.onEscape?.();
    else if (isKey(data, 'submit') || data === '\n') this.onSubmit?.(this.getValue());
    else if (isKey(data, 'deleteCharBackward')) this.#remove(this.#at - 1, this.#at);
    else if (isKey(data, 'deleteCharForward')) this.#remove(this.#at, this.#at + 1);
    else if (isKey(data, 'deleteWordBackward')) this.#remove(wordStart(all, this.#at), this.#at);
    else if (isKey(data, 'deleteWordForward')) this.#remove(this.#at, wordEnd(all, this.#at));
    else if (isKey(data, 'deleteToLineStart')) this.#remove(0, this.#at);
    else if (isKey(data, 'deleteToLineEnd')) this.#remove(this.#at, all.length);
    else if (isKey(data, 'cursorLeft')) this.#at = Math.max(0, this.#at - 1);
    else if (isKey(data, 'cursorRight')) this.#at = Math.min(all.length, this.#at + 1);
    else if (isKey(data, 'cursorWordLeft')) this.#at = wordStart(all, this.#at);
    else if (isKey(data, 'cursorWordRight')) this.#at = wordEnd(all, this.#at);
    else if (isKey(data, 'cursorLineStart')) this.#at = 0;
    else if (isKey(data, 'cursorLineEnd')) this.#at = all.length;
    else this.#insert(typedText(data).replaceAll('\n', ''));
  }
  #insert(text: string): void {
    const added = charactersOf(text);
    this.#characters.splice(this.#at, 0, ...added);
    this.#at += added.length;
  }
  #remove(from: number, to: number): void {
    if (from < 0) return;
    this.#characters.splice(from, to - from);
    this.#at = from;
  }
  override render(width: number): string[] {
    const room = Math.max(1, width - 3);
    let from = 0;
    // The caret stays in sight.
    while (from < this.#at && visibleWidth(this.#characters.slice(from, this.#at).join('')) >= room) from++;
    const before = this.#characters.slice(from, this.#at).join('');
    const caret = this.#characters[this.#at] ?? '';
    let after = '';
    for (const character of this.#characters.slice(this.#at + 1)) {
      if (visibleWidth(before + caret + after + character) > room) break;
      after += character;
    }
    return [`> ${withCaret(before, caret, after, this.focused)}`];
  }
}
