/** A place in a text, and the one way to say that something there is not understood. */
import { NotUnderstood } from '../language.ts';

/** Reads a text letter by letter. */
export class Cursor {
  readonly text: string;
  readonly end: number;
  at: number;

  constructor(text: string, start = 0, end = text.length) {
    this.text = text;
    this.at = start;
    this.end = end;
  }

  get char(): string {
    return this.at < this.end ? (this.text[this.at] ?? '') : '';
  }

  get previous(): string {
    return this.at > 0 ? (this.text[this.at - 1] ?? '') : '';
  }

  get isDone(): boolean {
    return this.at >= this.end;
  }

  /** Whether this stands here. */
  sees(text: string): boolean {
    return this.at + text.length <= this.end && this.text.startsWith(text, this.at);
  }

  /** Passes it, if it stands here. */
  takes(text: string): boolean {
    if (!this.sees(text)) return false;
    this.at += text.length;
    return true;
  }

  /** What matches here; the expression must be sticky. */
  match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    return found !== null && found.index + found[0].length <= this.end ? found : null;
  }

  /** Not understood: from `start` to here, at least one letter. */
  refuse(what: string, start = this.at): never {
    throw new NotUnderstood(what, { start, end: Math.min(this.text.length, Math.max(this.at, start + 1)) });
  }
}
