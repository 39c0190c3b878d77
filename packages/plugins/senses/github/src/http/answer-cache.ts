/** Answers with their marks: a server that says "not modified" counts no question and sends nothing. */

/** An answer that may be asked about again. */
export interface CachedAnswer {
  readonly etag: string;
  readonly body: string;
  readonly link: string;
}

const MAX_ENTRIES = 300;
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** The newest answers, up to a size. */
export class AnswerCache {
  readonly #entries = new Map<string, CachedAnswer>();
  #size = 0;

  get(key: string): CachedAnswer | undefined {
    const entry = this.#entries.get(key);
    if (entry) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  put(key: string, answer: CachedAnswer): void {
    this.#drop(key);
    if (answer.body.length > MAX_CHARACTERS / 4) return;
    this.#entries.set(key, answer);
    this.#size += answer.body.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES && this.#size <= MAX_CHARACTERS) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#entries.get(key)?.body.length ?? 0;
    this.#entries.delete(key);
  }
}
