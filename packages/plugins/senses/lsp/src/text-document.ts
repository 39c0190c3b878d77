/** Text as language servers count it: lines end with LF, CRLF or CR, and columns are UTF-16 units. */

/** A place in a text, both from 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A part of a text. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

const BOM = '\uFEFF';

/** A text with its lines. The byte order mark is no part of what servers see. */
export class TextDocument {
  readonly text: string;
  readonly hasBom: boolean;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.hasBom = text.startsWith(BOM);
    this.text = this.hasBom ? text.slice(1) : text;
  }

  /** Undefined when the bytes are no UTF-8: then they cannot be written back as they were. */
  static ofBytes(bytes: Uint8Array): TextDocument | undefined {
    try {
      return new TextDocument(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    } catch {
      return undefined; // Another encoding.
    }
  }

  /** The bytes with another text: what stood before the text stays. */
  bytesWith(text: string): Buffer {
    return Buffer.from(this.hasBom ? BOM + text : text);
  }

  get lineCount(): number {
    return this.#lineStarts().length;
  }

  /** A line without its end. */
  line(index: number): string | undefined {
    const start = this.#lineStarts()[index];
    if (start === undefined) return undefined;
    const next = this.#lineStarts()[index + 1] ?? this.text.length + 1;
    return this.text.slice(start, next).replace(/(?:\r\n|\r|\n)$/, '');
  }

  /** Where a position is. Beyond the end of a line means its end; beyond the last line means the end of the text. */
  offsetAt({ line, character }: Position): number {
    const start = this.#lineStarts()[line];
    if (start === undefined) return this.text.length;
    return start + Math.min(character, this.line(line)?.length ?? 0);
  }

  /** The end of lines, when all are the same and there is one. */
  get lineEnd(): '\r\n' | '\n' | '\r' | undefined {
    const ends = new Set(this.text.match(/\r\n|\r|\n/g));
    const [only] = ends;
    return ends.size === 1 ? (only as '\r\n' | '\n' | '\r') : undefined;
  }

  #lineStarts(): readonly number[] {
    if (this.#starts) return this.#starts;
    const starts = [0];
    for (const match of this.text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
    this.#starts = starts;
    return starts;
  }
}
