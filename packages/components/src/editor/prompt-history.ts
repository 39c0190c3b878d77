/** Earlier prompts, walked with the arrows; the draft waits at the end of the walk. */

/** A walk over earlier prompts. `T` is what is kept of the draft. */
export class PromptHistory<T> {
  readonly #prompts: string[] = [];
  #at: number | undefined;
  #draft: T | undefined;

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
    for (const prompt of prompts) if (prompt !== '' && prompt !== this.#prompts.at(-1)) this.#prompts.push(prompt);
  }

  /** The prompt before; nothing at the oldest. The draft is kept when the walk begins. */
  older(draft: () => T): string | undefined {
    const at = (this.#at ?? this.#prompts.length) - 1;
    const prompt = this.#prompts[at];
    if (prompt === undefined) return undefined;
    if (this.#at === undefined) this.#draft = draft();
    this.#at = at;
    return prompt;
  }

  /** The next prompt, or at the end the draft; nothing when there is no walk. */
  newer(): { readonly prompt: string } | { readonly draft: T } | undefined {
    if (this.#at === undefined) return undefined;
    this.#at += 1;
    const prompt = this.#prompts[this.#at];
    if (prompt !== undefined) return { prompt };
    const draft = this.#draft;
    this.leave();
    return draft === undefined ? undefined : { draft };
  }

  /** Ends the walk. */
  leave(): void {
    this.#at = undefined;
    this.#draft = undefined;
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
