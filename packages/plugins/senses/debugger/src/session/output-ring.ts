/** What a program and its debugger have written: the newest part, bounded. */

const PIECE_BYTES = 4096;

/** Keeps the newest bytes of an output. */
export class OutputRing {
  readonly #maxBytes: number;
  #parts: { readonly category: string; readonly text: string; readonly bytes: number }[] = [];
  #bytes = 0;
  /** How much came in all. */
  totalBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the start is not kept any more. */
  get isCut(): boolean {
    return this.totalBytes > this.#bytes;
  }

  push(category: string, text: string): void {
    if (text === '') return;
    const bytes = Buffer.byteLength(text);
    this.totalBytes += bytes;
    this.#bytes += bytes;
    const last = this.#parts.at(-1);
    // Programs write in small pieces; a list of them would be larger than the text.
    if (last && last.category === category && last.bytes + bytes <= PIECE_BYTES) {
      this.#parts[this.#parts.length - 1] = { category, text: last.text + text, bytes: last.bytes + bytes };
    } else this.#parts.push({ category, text, bytes });
    while (this.#bytes > this.#maxBytes) this.#cutFirst(this.#bytes - this.#maxBytes);
  }

  #cutFirst(excess: number): void {
    const first = this.#parts.shift();
    this.#bytes -= first?.bytes ?? this.#bytes;
    if (first === undefined || first.bytes <= excess) return;
    const text = tailOf(first.text, first.bytes - excess);
    const bytes = Buffer.byteLength(text);
    this.#parts.unshift({ category: first.category, text, bytes });
    this.#bytes += bytes;
  }

  /** The text that is kept, or only that of some categories (`stdout`, `stderr`, `console`…). */
  text(categories?: readonly string[]): string {
    return this.#parts
      .filter(({ category }) => categories === undefined || categories.includes(category))
      .map(({ text }) => text)
      .join('');
  }
}

function tailOf(text: string, maxBytes: number): string {
  // A character cut in half decodes to U+FFFD at the start; it is taken off.
  return Buffer.from(text)
    .subarray(-maxBytes)
    .toString('utf8')
    .replace(/^\uFFFD+/, '');
}
