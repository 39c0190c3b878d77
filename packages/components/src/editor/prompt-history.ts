/** Earlier prompts, walked with the arrows; the draft waits at the end of the walk, and what was changed on the way is kept until it ends. */

/** Where a walk has come to: an earlier prompt as it was sent, or what the user made of it. */
export type Station<T> = { readonly prompt: string } | { readonly changed: T } | { readonly draft: T };

/** Large pastes that were cleared are here as well: the oldest prompts go when there are more characters than this. */
const MOST_CHARACTERS = 1_000_000;

/** A walk over earlier prompts. `T` is what is kept of the draft and of changed prompts. */
export class PromptHistory<T> {
  readonly #prompts: string[] = [];
  #characters = 0;
  #at: number | undefined;
  #draft: T | undefined;
  /** What became of prompts during the walk, by their places. */
  readonly #changed = new Map<number, T>();

  /** All prompts, the oldest first. */
  get prompts(): readonly string[] {
    return this.#prompts;
  }

  /** The draft that waits, during a walk. */
  get draft(): T | undefined {
    return this.#draft;
  }

  /** Adds prompts, the newest last. A prompt that repeats the one before it is left out. */
  add(prompts: readonly string[]): void {
    for (const prompt of prompts) {
      if (prompt === '' || prompt === this.#prompts.at(-1)) continue;
      this.#prompts.push(prompt);
      this.#characters += prompt.length;
    }
    // Places must not change during a walk.
    if (this.#at === undefined) this.#forgetOldest();
  }

  #forgetOldest(): void {
    while (this.#characters > MOST_CHARACTERS && this.#prompts.length > 1)
      this.#characters -= this.#prompts.shift()?.length ?? 0;
  }

  /** The prompt before; nothing at the oldest. What is left is kept: the draft when the walk begins, else a prompt that was changed. */
  older(state: () => T, isChanged: (prompt: string) => boolean): Station<T> | undefined {
    const at = (this.#at ?? this.#prompts.length) - 1;
    if (this.#prompts[at] === undefined) return undefined;
    this.#keep(state, isChanged);
    this.#at = at;
    return this.#station(at);
  }

  /** The next prompt, or at the end the draft; nothing when there is no walk. */
  newer(state: () => T, isChanged: (prompt: string) => boolean): Station<T> | undefined {
    if (this.#at === undefined) return undefined;
    this.#keep(state, isChanged);
    this.#at += 1;
    if (this.#at < this.#prompts.length) return this.#station(this.#at);
    const draft = this.#draft;
    // The walk is not over: the changed prompts are still there when it goes back.
    this.#at = undefined;
    this.#draft = undefined;
    return draft === undefined ? undefined : { draft };
  }

  #keep(state: () => T, isChanged: (prompt: string) => boolean): void {
    if (this.#at === undefined) {
      this.#draft = state();
      return;
    }
    const prompt = this.#prompts[this.#at];
    if (prompt !== undefined && isChanged(prompt)) this.#changed.set(this.#at, state());
    else this.#changed.delete(this.#at);
  }

  #station(at: number): Station<T> | undefined {
    const changed = this.#changed.get(at);
    if (changed !== undefined) return { changed };
    const prompt = this.#prompts[at];
    return prompt === undefined ? undefined : { prompt };
  }

  /** Ends the walk; prompts are again what they were. */
  leave(): void {
    this.#at = undefined;
    this.#draft = undefined;
    this.#changed.clear();
  }

  /** The prompts with all words, the newest first. */
  search(words: string): string[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (prompt: string): boolean => {
      const small = prompt.toLowerCase();
      return wanted.every((word) => small.includes(word));
    };
    return [...new Set(this.#prompts.filter(has).toReversed())];
  }
}
