/** A text that is rewritten step by step and still knows which characters of its origin each part stands for. */
export class Traced {
  readonly text: string;
  readonly #from: Uint32Array;
  readonly #to: Uint32Array;

  private constructor(text: string, from: Uint32Array, to: Uint32Array) {
    this.text = text;
    this.#from = from;
    this.#to = to;
  }

  /** A text that stands for itself. */
  static of(text: string): Traced {
    const from = new Uint32Array(text.length).map((_, index) => index);
    return new Traced(
      text,
      from,
      from.map((index) => index + 1),
    );
  }

  /** Replaces matches; what takes the place of a match stands for all of it. Undefined leaves a match alone. */
  replace(pattern: RegExp, make: (match: RegExpExecArray) => string | undefined): Traced {
    const first = pattern.global ? undefined : pattern.exec(this.text);
    const matches = pattern.global ? [...this.text.matchAll(pattern)] : first ? [first] : [];
    const edits = matches.flatMap((match) => {
      const text = match[0] === '' ? undefined : make(match);
      return text === undefined ? [] : [{ text, start: match.index, end: match.index + match[0].length }];
    });
    if (edits.length === 0) return this;
    const length = edits.reduce((sum, { text, start, end }) => sum + text.length - (end - start), this.text.length);
    const [from, to] = [new Uint32Array(length), new Uint32Array(length)];
    let [result, done] = ['', 0];
    const keep = (end: number) => {
      from.set(this.#from.subarray(done, end), result.length);
      to.set(this.#to.subarray(done, end), result.length);
      result += this.text.slice(done, end);
    };
    for (const { text, start, end } of edits) {
      keep(start);
      const [first, last] = this.span(start, end);
      from.fill(first, result.length, result.length + text.length);
      to.fill(last, result.length, result.length + text.length);
      result += text;
      done = end;
    }
    keep(this.text.length);
    return new Traced(result, from, to);
  }

  /** Without white space around it. */
  trim(): Traced {
    return this.replace(/^\s+/, () => '').replace(/\s+$/, () => '');
  }

  /** What a part of the text stands for. */
  span(start: number, end: number): [start: number, end: number] {
    return [this.#from[start] ?? 0, this.#to[end - 1] ?? 0];
  }
}
