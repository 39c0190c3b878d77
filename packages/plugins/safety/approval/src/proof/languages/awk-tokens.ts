/** The words of awk programs. Whether a slash divides or begins a regular expression is for the parser to say. */

/** What is not understood about a program. */
export class AwkRefusal extends Error {}

/** A piece of a program. */
export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'regex' | 'mark' | 'newline' | 'end';
  readonly text: string;
  /** A `(` follows without a blank: a call of a function. */
  readonly isCall: boolean;
}

const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:\\[^\n]|[^"\\\n])*"/y;
const MARK = /\*\*=|>>|&&|\|\||\|(?!&)|\+\+|--|[-+*/%^!<>=]=|!~|\*\*|[-+*/%^!<>=~?:,;(){}[\]$]/y;
// A slash in brackets ends the expression for some awks and not for others, so it must be escaped.
const REGEX = /\/(?:\\[^\n]|\[\^?\]?(?:\[:[a-z]+:\]|\\[^\n]|[^\][\\/\n])*\]|[^/\\\n[])*\//y;
// Blanks, and line breaks behind a backslash.
const BLANKS = /(?:[ \t]|\\\n)*/y;
const COMMENT = /#[^\n]*/y;

/** Reads a program token by token. */
export class Tokens {
  readonly #text: string;
  #at = 0;
  /** Where the token that was peeked at begins, and where it ends. */
  #peeked: { readonly token: Token; readonly end: number } | undefined;

  constructor(text: string) {
    // eslint-disable-next-line no-control-regex
    if (/[\0-\x08\x0b-\x1f\x7f]/.test(text)) throw new AwkRefusal('a control character in the awk program');
    // In some encodings the second byte of a character looks like one of these.
    if (/[^\x00-\x7f][[\]\\^_|~{}@]/.test(text))
      throw new AwkRefusal('a character that other encodings read differently');
    this.#text = text;
  }

  /** The next token; a slash is a division. */
  peek(): Token {
    if (this.#peeked) return this.#peeked.token;
    const start = this.#at;
    const token = this.#read();
    this.#peeked = { token, end: this.#at };
    this.#at = start;
    return token;
  }

  take(): Token {
    const token = this.peek();
    if (this.#peeked) this.#at = this.#peeked.end;
    this.#peeked = undefined;
    return token;
  }

  /** The next token, which is a regular expression when it begins with a slash. */
  takeRegex(): Token {
    this.#peeked = undefined;
    this.#skip();
    const text = this.#match(REGEX);
    if (text === undefined) throw new AwkRefusal('a regular expression in the awk program');
    return { kind: 'regex', text, isCall: false };
  }

  #read(): Token {
    this.#skip();
    if (this.#at >= this.#text.length) return { kind: 'end', text: '', isCall: false };
    if (this.#text.charAt(this.#at) === '\n') {
      this.#at++;
      return { kind: 'newline', text: '\n', isCall: false };
    }
    const name = this.#match(NAME);
    if (name !== undefined) return { kind: 'name', text: name, isCall: this.#text.charAt(this.#at) === '(' };
    const number = this.#match(NUMBER);
    if (number !== undefined) {
      // Some awks read `0x1f` and `1abc` as one number, others as two words.
      if (/[\w.]/.test(this.#text.charAt(this.#at))) throw new AwkRefusal('a number in the awk program');
      return { kind: 'number', text: number, isCall: false };
    }
    const string = this.#match(STRING);
    if (string !== undefined) return { kind: 'string', text: string, isCall: false };
    const mark = this.#match(MARK);
    if (mark === undefined) throw new AwkRefusal(`"${this.#text.charAt(this.#at)}" in the awk program`);
    return { kind: 'mark', text: mark, isCall: false };
  }

  #skip(): void {
    this.#match(BLANKS);
    const comment = this.#match(COMMENT);
    if (comment?.endsWith('\\') === true) throw new AwkRefusal('a comment with a backslash at its end');
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match || match[0] === '') return undefined;
    this.#at += match[0].length;
    return match[0];
  }
}
