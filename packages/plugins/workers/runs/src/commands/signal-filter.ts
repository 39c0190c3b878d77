/** Leaves the block with which some workers end their answer out of what people see; it is for the keeper. */

const OPEN = '```signal';

/** Takes a text in pieces of any size, and gives it without such blocks. */
export class SignalFilter {
  #held = '';
  #isInside = false;

  /** What can be shown of the text so far. */
  push(piece: string): string {
    this.#held += piece;
    let shown = '';
    for (;;) {
      if (this.#isInside) {
        const end = /\n[ \t]*```[ \t]*(?:\n|$)/.exec(this.#held);
        if (!end) return shown;
        this.#held = this.#held.slice(end.index + end[0].length);
        this.#isInside = false;
        continue;
      }
      const start = /(?:^|\n)[ \t]*```signal[ \t]*(?=\n)/.exec(this.#held);
      if (start) {
        shown += this.#held.slice(0, start.index);
        this.#held = this.#held.slice(start.index + start[0].length);
        this.#isInside = true;
        continue;
      }
      const keep = this.#mayBegin();
      shown += this.#held.slice(0, this.#held.length - keep);
      this.#held = this.#held.slice(this.#held.length - keep);
      return shown;
    }
  }

  /** What was held back, when the text is over. */
  end(): string {
    const rest = this.#isInside ? '' : this.#held;
    this.#held = '';
    this.#isInside = false;
    return rest;
  }

  /** How many of the last characters may be the beginning of a block. */
  #mayBegin(): number {
    const at = this.#held.lastIndexOf('\n');
    const line = this.#held.slice(at + 1);
    const word = line.trimStart();
    return OPEN.startsWith(word.trimEnd()) || word.trimEnd() === OPEN ? line.length + (at === -1 ? 0 : 1) : 0;
  }
}
