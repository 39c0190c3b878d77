/** Search of earlier prompts while its words are typed. The draft is not touched until a prompt is taken. */
import { previousBorder } from './graphemes.ts';

/** What a search asks and tells. */
export interface HistorySearchOptions {
  /** The prompts with these words, the best first. */
  readonly search: (words: string) => Promise<readonly string[]>;
  /** Something changed that is drawn. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** One search, from Ctrl-R to its end. */
export class HistorySearch {
  readonly #options: HistorySearchOptions;
  #words = '';
  #matches: readonly string[] = [];
  #at = 0;
  #asked = 0;
  #isClosed = false;
  #isWaiting = false;

  constructor(options: HistorySearchOptions) {
    this.#options = options;
    this.#ask();
  }

  /** What was typed. */
  get words(): string {
    return this.#words;
  }

  /** The prompt that would be taken. */
  get match(): string | undefined {
    return this.#matches[this.#at];
  }

  /** For the search row: which match of how many. */
  get place(): string {
    if (this.#matches.length === 0) return this.#isWaiting ? '…' : 'no match';
    return `${this.#at + 1}/${this.#matches.length}`;
  }

  /** Adds to the words. */
  type(text: string): void {
    this.#setWords(this.#words + text);
  }

  /** Takes the last grapheme of the words away. */
  erase(): void {
    this.#setWords(this.#words.slice(0, previousBorder(this.#words, this.#words.length)));
  }

  /** Begins with other words. */
  clear(): void {
    this.#setWords('');
  }

  /** The next match, or the one before. */
  step(by: 1 | -1): void {
    this.#at = Math.max(0, Math.min(this.#matches.length - 1, this.#at + by));
  }

  /** What still comes is dropped. */
  close(): void {
    this.#isClosed = true;
  }

  #setWords(words: string): void {
    if (words === this.#words) return;
    this.#words = words;
    this.#ask();
  }

  #ask(): void {
    this.#asked += 1;
    const turn = this.#asked;
    this.#isWaiting = true;
    const settle = (matches: readonly string[]): void => {
      if (turn !== this.#asked || this.#isClosed) return;
      this.#isWaiting = false;
      this.#matches = matches;
      this.#at = 0;
      this.#options.onChange();
    };
    this.#options.search(this.#words).then(settle, (error: unknown) => {
      settle([]);
      this.#options.onError(error);
    });
  }
}
