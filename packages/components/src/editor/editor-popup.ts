/** The list of completions in the editor: when it opens, which keys it takes, what it puts into the draft. */
import { Completer, completesByItself, type CompletionPlace, type CompletionSource, type Popup } from './completion.ts';
import type { Draft } from './draft.ts';
import type { EditorAction } from './editor-keys.ts';
import { unitsAs } from './units.ts';

/** What the list asks and tells. */
export interface EditorPopupOptions {
  readonly sources: readonly CompletionSource[];
  /** Completions come only where the user asks for them. */
  readonly onlyAsked?: boolean;
  /** An answer arrived. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
  /** Enter means to submit what was taken. */
  readonly onSubmit: () => void;
}

/** How far page keys go. */
const PAGE = 8;

/** Completions of a draft. */
export class EditorPopup {
  readonly #draft: Draft;
  readonly #options: EditorPopupOptions;
  readonly #completer: Completer;

  constructor(draft: Draft, options: EditorPopupOptions) {
    this.#draft = draft;
    this.#options = options;
    const isCurrent = (place: CompletionPlace): boolean => {
      const { caret, version } = draft.buffer;
      return place.version === version && place.lineNumber === caret.line && place.caret === caret.offset;
    };
    this.#completer = new Completer({ ...options, isCurrent });
  }

  /** What is shown, if anything. */
  get shown(): Popup | undefined {
    return this.#completer.popup;
  }

  /** The selected completion, and its place. */
  spoken(): string | undefined {
    const popup = this.shown;
    const item = popup?.items[popup.selected];
    if (!popup || !item) return undefined;
    const words = item.detail === undefined ? item.label : `${item.label}, ${item.detail}`;
    return `${words}, ${popup.selected + 1} of ${popup.items.length}`;
  }

  /** Closes the list; an answer that still comes is dropped. */
  close(): void {
    this.#completer.close();
  }

  /** Asks because the user wants it. A single answer is taken at once. */
  ask(): void {
    if (this.#options.sources.length === 0) return;
    this.#completer.ask(this.#place(true), ({ items }) => {
      if (items.length === 1) this.#take(false);
    });
  }

  /** Asks anew after a change, if completions come by themselves here or the user asked for the list. */
  refresh(): void {
    if (this.#options.sources.length === 0) return;
    const place = this.#place(this.shown?.place.isAsked ?? false);
    const byItself = () =>
      this.#options.onlyAsked !== true && completesByItself(place.line, place.caret, place.lineNumber);
    if (place.isAsked || byItself()) this.#completer.ask(place);
    else this.close();
  }

  /** Does an action in the list; false for those that are not for it. */
  run(action: EditorAction): boolean {
    const popup = this.shown;
    if (!popup) return false;
    const by = { 'editor.up': -1, 'editor.down': 1, 'editor.pageUp': -PAGE, 'editor.pageDown': PAGE }[action as string];
    if (by !== undefined) this.#completer.move(by);
    else if (action === 'editor.cancel') this.close();
    else if (action !== 'editor.complete' && action !== 'editor.submit') return false;
    // Items for an older text fit no more.
    else if (!this.#completer.isCurrent(popup.place)) return false;
    else this.#take(action === 'editor.submit');
    return true;
  }

  #take(isEnter: boolean): void {
    const popup = this.shown;
    const item = popup?.items[popup.selected];
    this.close();
    if (!popup || !item) return;
    const { buffer } = this.#draft;
    const from = { line: buffer.caret.line, offset: popup.from };
    const value = this.#draft.clean(item.value);
    const isThereAlready = buffer.slice(from, buffer.caret) === value;
    if (!isThereAlready) buffer.replace(from, buffer.caret, value);
    if (isEnter && (item.submits || isThereAlready)) this.#options.onSubmit();
    else if (!isThereAlready) this.refresh();
  }

  #place(isAsked: boolean): CompletionPlace {
    const { caret, version } = this.#draft.buffer;
    // Units are nothing that a source could understand; what stands for them keeps the offsets.
    const line = unitsAs(this.#draft.buffer.line(caret.line), '\ufffc\ufffc');
    return { line, caret: caret.offset, lineNumber: caret.line, isAsked, version };
  }
}
