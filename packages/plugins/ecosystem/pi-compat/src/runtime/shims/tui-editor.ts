/** The editor of pi-tui: several lines, a history, a border above and below. */
import { getEditorKeybindings } from './keybindings.ts';
import { typedText } from './keys.ts';
import { visibleWidth } from './text-width.ts';
import { Part, type Style } from './tui-basics.ts';
import { charactersOf, withCaret, wordEnd, wordStart } from './tui-input.ts';

const isKey = (data: string, action: string): boolean => getEditorKeybindings().matches(data, action);
const MAX_HISTORY = 100;
const MAX_UNDO = 200;

interface State {
  readonly lines: readonly string[];
  readonly line: number;
  readonly col: number;
}

/** One row of a line that is too wide for one. `from` counts characters. */
interface Row {
  readonly line: number;
  readonly from: number;
  readonly characters: readonly string[];
  readonly isLast: boolean;
}

/** A text that can be typed into. Columns count characters of JavaScript, as in pi. */
export class Editor extends Part {
  focused = false;
  onSubmit: ((text: string) => void) | undefined;
  onChange: ((text: string) => void) | undefined;
  borderColor: Style;
  disableSubmit = false;
  readonly tui: { requestRender?(): void; readonly terminal?: { readonly rows?: number } } | undefined;
  #lines: string[] = [''];
  #line = 0;
  /** Counts characters as a person does. */
  #at = 0;
  #paddingX: number;
  #width = 80;
  #killed = '';
  readonly #undo: State[] = [];
  readonly #history: string[] = [];
  #past = -1;

  constructor(
    tui?: Editor['tui'],
    theme?: { readonly borderColor?: Style },
    options: { readonly paddingX?: number } = {},
  ) {
    super();
    this.tui = tui;
    this.borderColor = theme?.borderColor ?? String;
    this.#paddingX = options?.paddingX ?? 0;
  }

  getText(): string {
    return this.#lines.join('\n');
  }
  getExpandedText(): string {
    return this.getText();
  }
  setText(text: string): void {
    this.#remember();
    this.#past = -1;
    this.#lines = String(text).replaceAll('\r\n', '\n').split('\n');
    this.#line = this.#lines.length - 1;
    this.#at = this.#here().length;
    this.#changed();
  }
  insertTextAtCursor(text: string): void {
    if (text === '') return;
    this.#remember();
    const all = this.#here();
    const [before, after] = [all.slice(0, this.#at).join(''), all.slice(this.#at).join('')];
    const added = String(text).replaceAll('\r\n', '\n').split('\n');
    const last = added.at(-1) ?? '';
    const whole =
      added.length === 1 ? [before + last + after] : [before + (added[0] ?? ''), ...added.slice(1, -1), last + after];
    this.#lines.splice(this.#line, 1, ...whole);
    this.#line += added.length - 1;
    this.#at = charactersOf(added.length === 1 ? before + last : last).length;
    this.#changed();
  }
  getLines(): string[] {
    return [...this.#lines];
  }
  getCursor(): { line: number; col: number } {
    return { line: this.#line, col: this.#here().slice(0, this.#at).join('').length };
  }
  addToHistory(text: string): void {
    if (text.trim() === '' || this.#history[0] === text) return;
    this.#history.unshift(text);
    this.#history.length = Math.min(this.#history.length, MAX_HISTORY);
  }
  setAutocompleteProvider(_provider: unknown): void {}
  setAutocompleteMaxVisible(_count: number): void {}
  isShowingAutocomplete(): boolean {
    return false;
  }
  getPaddingX(): number {
    return this.#paddingX;
  }
  setPaddingX(padding: number): void {
    this.#paddingX = padding;
  }

  override handleInput(data: string): void {
    const all = this.#here();
    if (isKey(data, 'newLine') || data === '\n') this.insertTextAtCursor('\n');
    else if (isKey(data, 'submit')) this.#submit();
    else if (isKey(data, 'undo')) this.#takeBack();
    else if (isKey(data, 'deleteCharBackward')) this.#remove(this.#at - 1, this.#at);
    else if (isKey(data, 'deleteCharForward')) this.#remove(this.#at, this.#at + 1);
    else if (isKey(data, 'deleteWordBackward')) this.#kill(wordStart(all, this.#at), this.#at);
    else if (isKey(data, 'deleteWordForward')) this.#kill(this.#at, wordEnd(all, this.#at));
    else if (isKey(data, 'deleteToLineStart')) this.#kill(0, this.#at);
    else if (isKey(data, 'deleteToLineEnd')) this.#kill(this.#at, all.length);
    else if (isKey(data, 'yank')) this.insertTextAtCursor(this.#killed);
    else if (isKey(data, 'cursorLeft')) this.#step(-1);
    else if (isKey(data, 'cursorRight')) this.#step(1);
    else if (isKey(data, 'cursorWordLeft') && this.#at > 0) this.#at = wordStart(all, this.#at);
    else if (isKey(data, 'cursorWordLeft')) this.#step(-1);
    else if (isKey(data, 'cursorWordRight') && this.#at < all.length) this.#at = wordEnd(all, this.#at);
    else if (isKey(data, 'cursorWordRight')) this.#step(1);
    else if (isKey(data, 'cursorLineStart')) this.#at = 0;
    else if (isKey(data, 'cursorLineEnd')) this.#at = all.length;
    else if (isKey(data, 'cursorUp')) this.#vertically(-1);
    else if (isKey(data, 'cursorDown')) this.#vertically(1);
    else this.insertTextAtCursor(typedText(data));
  }

  override render(width: number): string[] {
    this.#width = width;
    const border = this.borderColor('─'.repeat(Math.max(1, width)));
    const margin = ' '.repeat(this.#paddingX);
    const rows = this.#rows();
    const at = this.#rowOfCaret(rows);
    const room = Math.max(5, Math.floor((this.tui?.terminal?.rows ?? 24) * 0.3));
    const start = Math.max(0, Math.min(at - room + 1, rows.length - room));
    const shown = rows.slice(start, start + room).map(({ characters, from }, index) => {
      if (start + index !== at) return margin + characters.join('');
      const caret = this.#at - from;
      const [before, after] = [characters.slice(0, caret).join(''), characters.slice(caret + 1).join('')];
      return margin + withCaret(before, characters[caret] ?? '', after, this.focused);
    });
    return [border, ...shown, border];
  }

  #here(): string[] {
    return charactersOf(this.#lines[this.#line] ?? '');
  }
  #changed(): void {
    this.onChange?.(this.getText());
  }
  #remember(): void {
    this.#undo.push({ lines: [...this.#lines], line: this.#line, col: this.#at });
    if (this.#undo.length > MAX_UNDO) this.#undo.shift();
  }
  #takeBack(): void {
    const state = this.#undo.pop();
    if (!state) return;
    [this.#lines, this.#line, this.#at] = [[...state.lines], state.line, state.col];
    this.#changed();
  }
  #submit(): void {
    if (this.disableSubmit) return;
    const text = this.getText().trim();
    this.#lines = [''];
    this.#line = 0;
    this.#at = 0;
    this.#past = -1;
    this.#undo.length = 0;
    this.#changed();
    this.onSubmit?.(text);
  }
  #kill(from: number, to: number): void {
    this.#killed = this.#here().slice(from, to).join('');
    if (from < to) this.#remove(from, to);
    else this.#remove(this.#at, this.#at + 1);
  }
  /** Removes characters of the line; beyond its ends, the break to the line before or after. */
  #remove(from: number, to: number): void {
    const all = this.#here();
    const isStart = from < 0;
    const isEnd = from >= all.length && to > all.length;
    if ((isStart && this.#line === 0) || (isEnd && this.#line === this.#lines.length - 1)) return;
    this.#remember();
    if (isStart || isEnd) {
      const first = isStart ? this.#line - 1 : this.#line;
      this.#at = charactersOf(this.#lines[first] ?? '').length;
      this.#line = first;
      this.#lines.splice(first, 2, `${this.#lines[first] ?? ''}${this.#lines[first + 1] ?? ''}`);
    } else {
      all.splice(from, to - from);
      this.#lines[this.#line] = all.join('');
      this.#at = from;
    }
    this.#changed();
  }
  #step(by: -1 | 1): void {
    const next = this.#at + by;
    if (next < 0 && this.#line > 0) {
      this.#line--;
      this.#at = this.#here().length;
    } else if (next > this.#here().length && this.#line < this.#lines.length - 1) {
      this.#line++;
      this.#at = 0;
    } else this.#at = Math.max(0, Math.min(next, this.#here().length));
  }
  /** Beyond the first and the last row lies the history. */
  #vertically(by: -1 | 1): void {
    const rows = this.#rows();
    const at = this.#rowOfCaret(rows);
    const target = rows[at + by];
    const current = rows[at];
    if (target && current) {
      this.#line = target.line;
      const last = target.isLast ? target.characters.length : target.characters.length - 1;
      this.#at = target.from + Math.max(0, Math.min(this.#at - current.from, last));
      return;
    }
    const past = this.#past - by;
    const isThere =
      by < 0 ? past < this.#history.length && (this.#past >= 0 || this.getText() === '') : this.#past >= 0;
    if (!isThere) {
      this.#at = by < 0 ? 0 : this.#here().length;
      return;
    }
    this.setText(this.#history[past] ?? '');
    this.#past = past;
  }
  #rows(): Row[] {
    const room = Math.max(1, this.#width - 2 * this.#paddingX - 1);
    return this.#lines.flatMap((text, line) => {
      const all = charactersOf(text);
      const rows: Row[] = [];
      let from = 0;
      do {
        const to = rowEnd(all, from, room);
        rows.push({ line, from, characters: all.slice(from, to), isLast: to === all.length });
        from = to;
      } while (from < all.length);
      return rows;
    });
  }
  #rowOfCaret(rows: readonly Row[]): number {
    const at = rows.findIndex(
      ({ line, from, characters, isLast }) =>
        line === this.#line &&
        this.#at >= from &&
        (this.#at < from + characters.length || (isLast && this.#at === from + characters.length)),
    );
    return Math.max(0, at);
  }
}

/** Where a row ends: between words, where the row holds more than one. */
function rowEnd(all: readonly string[], from: number, room: number): number {
  let columns = 0;
  let lastBreak = -1;
  for (let at = from; at < all.length; at++) {
    columns += visibleWidth(all[at] ?? '');
    if (columns > room) return lastBreak > from ? lastBreak : Math.max(at, from + 1);
    if (all[at] === ' ') lastBreak = at + 1;
  }
  return all.length;
}
