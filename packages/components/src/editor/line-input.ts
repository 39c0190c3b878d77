/** One line of input, for filters and questions. */
import { type Component, CURSOR_MARKER, readKey } from '@tenon/screen';

import type { Theme } from '../theme/theme.ts';
import type { EditorText } from './columns.ts';
import { Draft } from './draft.ts';
import { actionOf, type KeyMeaning, usualKeys } from './editor-keys.ts';
import { graphemes } from './graphemes.ts';
import { pastedText } from './pasted-text.ts';

/** What the host gives a line of input. */
export interface LineInputOptions {
  readonly text: EditorText;
  readonly theme: () => Theme;
  /** Stands before the text. */
  readonly marker?: string;
  readonly placeholder?: string;
  /** Stands for each character, for secrets. */
  readonly mask?: string;
  readonly keys?: KeyMeaning;
  readonly onSubmit?: (text: string) => void;
  readonly onChange?: (text: string) => void;
  readonly onCancel?: () => void;
}

/** One line with the editor's keys. */
export class LineInput implements Component {
  readonly #options: LineInputOptions;
  readonly #keys: KeyMeaning;
  readonly #draft: Draft;
  #first = 0;

  constructor(options: LineInputOptions) {
    this.#options = options;
    this.#keys = options.keys ?? usualKeys;
    this.#draft = new Draft(options.text, true);
    this.#draft.buffer.watch(() => options.onChange?.(this.text));
  }

  /** What was typed. */
  get text(): string {
    return this.#draft.buffer.text;
  }

  set text(text: string) {
    this.#draft.exchange(text);
  }

  /** Where typing goes, as an offset. */
  get caret(): number {
    return this.#draft.buffer.caret.offset;
  }

  /** The row; a text that is too long is shown around the caret. */
  render(width: number): string[] {
    const { text: columns, theme, marker = '', placeholder = '' } = this.#options;
    const all = Math.max(1, Math.floor(width));
    const head = columns.width(marker) + 2 <= all ? marker : '';
    const room = all - columns.width(head);
    if (this.#draft.buffer.isEmpty) {
      const hint = placeholder === '' ? '' : theme().fg('dim', this.#draft.columns.oneLine(placeholder, room));
      return [head + CURSOR_MARKER + hint];
    }
    const before = this.#drawn(this.text.slice(0, this.caret), 0);
    const caret = columns.width(before);
    const whole = before + this.#drawn(this.text.slice(this.caret), caret);
    this.#scroll(caret, columns.width(whole), room);
    const end = Math.max(caret, this.#first);
    const left = columns.slice(whole, this.#first, end);
    return [head + left + CURSOR_MARKER + columns.slice(whole, end, this.#first + room)];
  }

  /** Takes a key or a paste. */
  handleInput(data: string): void {
    const pasted = pastedText(data);
    if (pasted !== undefined) return this.#draft.paste(pasted);
    const key = readKey(data);
    if (!key || key.event === 'release') return;
    if (key.text !== '') return this.#draft.type(key.text);
    const action = actionOf(data, this.#keys);
    if (action === 'editor.submit') this.#options.onSubmit?.(this.text);
    else if (action === 'editor.cancel') this.#options.onCancel?.();
    else if (action) this.#draft.run(this.#secret(action));
  }

  /** Where words end in a secret is a secret, too: motions by words go to the ends. */
  #secret(action: NonNullable<ReturnType<typeof actionOf>>): typeof action {
    if (this.#options.mask === undefined) return action;
    if (action === 'editor.wordLeft') return 'editor.textStart';
    if (action === 'editor.wordRight') return 'editor.textEnd';
    if (action === 'editor.killWordBack') return 'editor.killToStart';
    return action === 'editor.killWordForward' ? 'editor.killToEnd' : action;
  }

  #drawn(text: string, from: number): string {
    const { mask } = this.#options;
    if (mask !== undefined) return mask.repeat(graphemes(text).length);
    return this.#draft.columns.draw(text, (label) => label, from);
  }

  /** Moves the window no more than the caret makes it. */
  #scroll(caret: number, width: number, room: number): void {
    // The caret needs a column behind the text.
    if (caret < this.#first) this.#first = caret;
    if (caret > this.#first + room - 1) this.#first = caret - room + 1;
    this.#first = Math.max(0, Math.min(this.#first, width - room + 1));
  }
}
