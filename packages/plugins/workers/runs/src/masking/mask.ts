/** Keeps the secrets that a worker was given out of what is stored and shown of it. */

/** What stands in their place; the same words as in logs. */
const MASK = '[redacted]';
/** Shorter values would mask ordinary words. */
const MIN_LENGTH = 8;
/** No key is longer; a text that could begin one is kept back until it is known to be none. */
const MAX_LENGTH = 16 * 1024;

/** Nobody reads what is nested deeper; walking there would take all of the stack. */
const MAX_DEPTH = 200;

/** Masks the secrets of one session. */
export class SecretMask {
  readonly #forms: readonly string[];
  readonly #pattern: RegExp | undefined;

  constructor(secrets: Iterable<string>) {
    const values = [...secrets].map((value) => value.trim());
    const forms = values.filter(isMaskable).flatMap(formsOf);
    // The longest first: of two that begin at one place no end is left over.
    this.#forms = [...new Set(forms)].sort((a, b) => b.length - a.length);
    this.#pattern = this.#forms.length === 0 ? undefined : new RegExp(this.#forms.map(escaped).join('|'), 'g');
  }

  /** Whether there is nothing to mask. */
  get isEmpty(): boolean {
    return this.#pattern === undefined;
  }

  /** A text without secrets. */
  text(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, MASK);
  }

  /** A copy of any value in which no text holds a secret. */
  value<T>(value: T): T {
    return (this.#pattern === undefined ? value : this.#walk(value, 0)) as T;
  }

  /** How much of a text that goes on can be masked now: all but an end that may be the beginning of a secret. */
  wholeLength(text: string): number {
    if (this.#pattern === undefined) return text.length;
    const length = text.length - this.#begun(text);
    if (length === text.length) return length;
    // Never through the middle of one that is whole.
    for (const match of text.matchAll(this.#pattern))
      if (match.index < length && length < match.index + match[0].length) return match.index;
    return length;
  }

  /** How many characters at the end of a text are the beginning of a secret. */
  #begun(text: string): number {
    let longest = 0;
    for (const form of this.#forms) {
      const first = form[0] ?? '';
      const from = Math.max(0, text.length - form.length + 1);
      for (
        let at = text.indexOf(first, from);
        at !== -1 && text.length - at > longest;
        at = text.indexOf(first, at + 1)
      )
        if (form.startsWith(text.slice(at))) longest = text.length - at;
    }
    return longest;
  }

  #walk(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === MAX_DEPTH) return '[…]';
    if (Array.isArray(value)) return value.map((item) => this.#walk(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.text(key), this.#walk(item, depth + 1)]),
    );
  }
}

/** A mask for sessions without secrets. */
export const NO_MASK = new SecretMask([]);

/** What cannot be decoded from bytes cannot be found in them either. */
function isMaskable(value: string): boolean {
  return (
    value.length >= MIN_LENGTH && value.length <= MAX_LENGTH && value.isWellFormed() && !value.includes('\u{FFFD}')
  );
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** As it is, and as JSON, a JSON text in JSON, an address and base64 hold it. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const json = JSON.stringify(value).slice(1, -1);
  const nested = JSON.stringify(json).slice(1, -1);
  const slashes = json.replaceAll('/', '\\/');
  // Whole groups only: the last characters depend on what follows.
  const base64 = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
  return [value, json, nested, slashes, encodeURIComponent(value), base64];
}
