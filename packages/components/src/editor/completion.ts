/** Completions of what is being typed. Sources are asked while typing goes on; answers for an older text are dropped. */
import { previousBorder, snapToBorder } from './graphemes.ts';

/** Something that can be inserted. */
export interface CompletionItem {
  /** What is inserted. */
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
  /** Enter submits the prompt at once, as for a slash command without arguments. */
  readonly submits?: boolean;
}

/** Items for the text from `from` to the caret. */
export interface Completions {
  readonly from: number;
  readonly items: readonly CompletionItem[];
}

/** What a source may want to know beyond the line. */
export interface CompletionRequest {
  /** Which line of the text it is; slash commands stand in the first, 0. */
  readonly lineNumber: number;
  /** Whether the user asked (Tab), rather than typed a character that begins completions. */
  readonly isAsked: boolean;
}

/** Knows completions of one sort. */
export interface CompletionSource {
  /** Completions at `caret`, an offset in `line`; nothing if the source has none for such a text. */
  complete(
    line: string,
    caret: number,
    signal: AbortSignal,
    request: CompletionRequest,
  ): Promise<Completions | undefined>;
}

/** Where completions are asked for. */
export interface CompletionPlace extends CompletionRequest {
  readonly line: string;
  readonly caret: number;
  /** The buffer's version: a changed text has another. */
  readonly version: number;
}

/** What is shown. */
export interface Popup {
  readonly place: CompletionPlace;
  readonly from: number;
  readonly items: readonly CompletionItem[];
  readonly selected: number;
}

/** What the popup asks and tells. */
export interface CompleterOptions {
  readonly sources: readonly CompletionSource[];
  /** Whether the text and the caret are still as they were. */
  readonly isCurrent: (place: CompletionPlace) => boolean;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** Asks sources and holds the popup. */
export class Completer {
  readonly #options: CompleterOptions;
  #popup: Popup | undefined;
  #running: AbortController | undefined;

  constructor(options: CompleterOptions) {
    this.#options = options;
  }

  /** Whether items for a place still fit. */
  isCurrent(place: CompletionPlace): boolean {
    return this.#options.isCurrent(place);
  }

  /** What is shown, if anything. */
  get popup(): Popup | undefined {
    return this.#popup;
  }

  /** Asks the sources for a place; an older question is given up. The first source with items serves. */
  ask(place: CompletionPlace, onItems?: (popup: Popup) => void): void {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    void this.#answer(place, running.signal).then((found) => {
      if (running.signal.aborted) return;
      this.#running = undefined;
      if (!this.#options.isCurrent(place)) return;
      this.#popup = found && { place, ...found, selected: 0 };
      if (this.#popup) onItems?.(this.#popup);
      this.#options.onChange();
    });
  }

  /** Moves the selection, around the ends. */
  move(by: number): void {
    const popup = this.#popup;
    if (!popup) return;
    const count = popup.items.length;
    this.#popup = { ...popup, selected: (popup.selected + by + count) % count };
  }

  /** Closes the popup and gives up what was asked. */
  close(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#popup = undefined;
  }

  async #answer(place: CompletionPlace, signal: AbortSignal): Promise<Completions | undefined> {
    const answers = this.#options.sources.map(async (source) => {
      try {
        return await source.complete(place.line, place.caret, signal, place);
      } catch (error) {
        // A source that was told to stop may say so by an error.
        if (!signal.aborted) this.#options.onError(error);
        return undefined;
      }
    });
    for (const answer of answers) {
      const found = await answer;
      if (signal.aborted) return undefined;
      if (!found || found.items.length === 0 || !(found.from >= 0 && found.from <= place.caret)) continue;
      return { ...found, from: borderBefore(place.line, found.from) };
    }
    return undefined;
  }
}

/** Half a character is never exchanged. */
function borderBefore(line: string, offset: number): number {
  const border = snapToBorder(line, offset);
  return border === offset ? offset : previousBorder(line, border);
}

/** Whether completions come without being asked for: `/` at the beginning of a text, `@` at a word's start. */
export function completesByItself(line: string, caret: number, lineNumber: number): boolean {
  if (lineNumber === 0 && line.startsWith('/') && caret > 0) return true;
  const word =
    line
      .slice(Math.max(0, caret - 1000), caret)
      .split(/\s/)
      .at(-1) ?? '';
  return word.startsWith('@');
}
