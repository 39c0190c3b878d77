/** What was typed before a question was seen is no answer to it. */
import { typedText } from '@tenon/components';

/** How long a question must have been on the screen before a key answers it. */
const UNSEEN_MS = 400;

/** How long nothing else may have been typed: the next key of a sentence is no answer, however long the question is there. */
const TYPING_MS = 700;

const PASTE = '\u001b[200~';

/** When a question on a screen was answered last: the one below it, which is seen again then, must not get the same key twice. */
const answers = new WeakMap<object, number>();

/** Knows whether the user can have seen a question. */
export class FirstKeys {
  readonly #screen: object;
  readonly #now: () => number;
  #drawnAt: number | undefined;
  #strayAt = -Infinity;
  #stray = '';

  constructor(screen: object, now: () => number = Date.now) {
    this.#screen = screen;
    this.#now = now;
  }

  /** The question is being drawn. */
  drawn(): void {
    this.#drawnAt ??= this.#now();
  }

  /** The question is answered. */
  answered(): void {
    answers.set(this.#screen, this.#now());
  }

  /** True when a key may answer. Text that may not shows that somebody writes something else, and the wait begins anew. */
  counts(data: string): boolean {
    const now = this.#now();
    const since = Math.max(this.#drawnAt ?? Infinity, answers.get(this.#screen) ?? -Infinity);
    if (now - since >= UNSEEN_MS && now - this.#strayAt >= TYPING_MS) return true;
    this.stray(data);
    return false;
  }

  /** A key that is no answer to the question: text was meant for something else. */
  stray(data: string): void {
    if (!data.startsWith(PASTE) && typedText(data) === '') return;
    // The same key again is no sentence, but somebody who waits for an effect.
    if (data !== this.#stray) this.#strayAt = this.#now();
    this.#stray = data;
  }
}
