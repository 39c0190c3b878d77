/** Cuts a stream of pieces into lines. Where the pieces are cut makes no difference. */

/** No event of a CLI is longer; images in tool results come close. Counted in UTF-16 units. */
export const MAX_LINE = 8 * 1024 * 1024;

/** A line without its end. */
export interface Line {
  readonly text: string;
  /** How many characters of it were dropped, because it was longer than the limit. */
  readonly dropped: number;
}

/** Holds the line that has not ended yet, and never more of it than the limit. */
export class LineCutter {
  readonly #limit: number;
  #parts: string[] = [];
  #length = 0;
  #dropped = 0;

  constructor(limit: number = MAX_LINE) {
    this.#limit = limit;
  }

  /** The lines that end in this piece. A line ends with LF or CRLF. */
  push(piece: string): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', start)) {
      this.#keep(piece.slice(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    if (start < piece.length) this.#keep(start === 0 ? piece : piece.slice(start));
    return lines;
  }

  /** The last line, when nothing ended it. */
  end(): Line[] {
    return this.#length + this.#dropped > 0 ? [this.#take()] : [];
  }

  #keep(part: string): void {
    const room = this.#limit - this.#length;
    const kept = part.length <= room ? part : part.slice(0, room);
    if (kept !== '') this.#parts.push(kept);
    this.#length += kept.length;
    this.#dropped += part.length - kept.length;
  }

  #take(): Line {
    const whole = this.#parts.join('');
    const line = { text: whole.endsWith('\r') ? whole.slice(0, -1) : whole, dropped: this.#dropped };
    this.#parts = [];
    this.#length = 0;
    this.#dropped = 0;
    return line;
  }
}

/** The last part of a text that comes line by line. */
export class Tail {
  readonly #limit: number;
  #text = '';

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(line: string): void {
    this.#text += `${line}\n`;
    // Cut now and then only: a cut copies all of it.
    if (this.#text.length > 4 * this.#limit) this.#text = this.text;
  }

  get text(): string {
    return this.#text.slice(-this.#limit);
  }
}
