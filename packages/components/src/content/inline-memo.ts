/** What frames share: most lines of an open block are the same in the next frame, and need not be read again. */
import type { Token } from 'marked';

/** Tokens of text inside blocks, by their source. It holds what the last two frames needed. */
export class InlineMemo {
  #now = new Map<string, readonly Token[]>();
  #before = new Map<string, readonly Token[]>();

  /** A new frame begins. */
  nextFrame(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }

  get(source: string): readonly Token[] | undefined {
    const known = this.#now.get(source) ?? this.#before.get(source);
    if (known) this.#now.set(source, known);
    return known;
  }

  set(source: string, tokens: readonly Token[]): void {
    this.#now.set(source, tokens);
  }
}

/** Remembers one value for the last use of an object. */
export class LastValue<K extends object, V> {
  readonly #known = new WeakMap<K, { readonly mark: string; readonly value: V }>();

  /** The value for this object and mark, computed if another mark was used last. */
  get(key: K | undefined, mark: string, compute: () => V): V {
    const known = key && this.#known.get(key);
    if (known?.mark === mark) return known.value;
    const value = compute();
    if (key) this.#known.set(key, { mark, value });
    return value;
  }
}
