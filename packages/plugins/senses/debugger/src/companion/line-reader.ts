/** Lines of JSON, from a process that shares its sandbox with the program: they may hold anything. */

const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** Puts objects together from pieces that are cut anywhere. */
export class LineReader {
  #parts: Buffer[] = [];
  #size = 0;
  readonly #take: (message: Record<string, unknown>) => void;

  constructor(take: (message: Record<string, unknown>) => void) {
    this.#take = take;
  }

  /** Throws when a line is too long or no JSON object. */
  push(chunk: Buffer): void {
    let bytes = chunk;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE)) {
      const line = Buffer.concat([...this.#parts, bytes.subarray(0, at)]).toString('utf8');
      this.#parts = [];
      this.#size = 0;
      bytes = bytes.subarray(at + 1);
      const message: unknown = JSON.parse(line);
      if (typeof message !== 'object' || message === null) throw new Error('a line is not an object');
      this.#take(message as Record<string, unknown>);
    }
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#size > MAX_LINE_BYTES) throw new Error('a line is too long');
  }
}
