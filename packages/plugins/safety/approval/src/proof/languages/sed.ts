/** Scripts of sed. What GNU, BSD and busybox sed would not all read in the same way is refused. */
import type { Language } from '../language.ts';

/** The files that a script names. */
export interface SedFiles {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** What is not understood about a script. */
export class SedRefusal extends Error {}

/** Commands without an argument. */
const BARE = /[dDgGhHnNpPxzF=]/;
/** Delimiters that mean nothing else in a regular expression of any sed. */
const DELIMITER = /[/|#,:;@!%+~_=]/;
/** In some encodings the second byte of a character looks like one of these. */
const SWALLOWED = /[^\x00-\x7f][@\\|~_^]/;
const FILE_NAME = /[\w.][\w./@%+,:=-]*|\/(?:[\w./@%+,:=-]+)/y;

/** Reads a script; throws a `SedRefusal` for what it does not understand. */
export function readSed(script: string): SedFiles {
  return new Reader(script).script();
}

class Reader {
  readonly #text: string;
  #at = 0;
  readonly #reads: string[] = [];
  readonly #writes: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  script(): SedFiles {
    // eslint-disable-next-line no-control-regex
    if (/[\0-\x08\x0b-\x1f\x7f]/.test(this.#text)) this.#refuse('a control character');
    if (SWALLOWED.test(this.#text)) this.#refuse('a character that other encodings read differently');
    let depth = 0;
    for (;;) {
      this.#take(/[\s;]*/y);
      if (this.#at >= this.#text.length) break;
      if (this.#next() === '#') {
        this.#take(/[^\n]*/y);
        continue;
      }
      if (this.#next() === '}') {
        if (depth-- === 0) this.#refuse('a brace that closes nothing');
        this.#at++;
        this.#end();
        continue;
      }
      this.#addresses();
      if (this.#next() === '{') {
        depth++;
        this.#at++;
      } else this.#command();
    }
    if (depth > 0) this.#refuse('a brace that is not closed');
    return { reads: this.#reads, writes: this.#writes };
  }

  #addresses(): void {
    if (this.#address()) {
      this.#blanks();
      if (this.#next() === ',') {
        this.#at++;
        this.#blanks();
        if (!this.#take(/[+~]\d+/y) && !this.#address()) this.#refuse('an address');
      }
    }
    this.#blanks();
    if (this.#take(/!/y)) this.#blanks();
  }

  #address(): boolean {
    if (this.#take(/\d+~\d+|\d+|\$/y)) return true;
    if (this.#next() === '\\') {
      this.#at++;
      this.#delimited(this.#delimiter(), true);
    } else if (this.#next() === '/') {
      this.#at++;
      this.#delimited('/', true);
    } else return false;
    this.#take(/[IM]*/y);
    return true;
  }

  #command(): void {
    const command = this.#next();
    this.#at++;
    if (command === 's') return this.#substitution();
    if (command === 'y') {
      const start = this.#at;
      const delimiter = this.#delimiter();
      this.#delimited(delimiter, false);
      this.#delimited(delimiter, false);
      // Older BSD sed reads brackets here, too.
      if (this.#text.slice(start, this.#at).includes('[')) this.#refuse('brackets');
      return this.#end();
    }
    if (command === 'a' || command === 'i' || command === 'c') return this.#lines();
    if (command === 'r' || command === 'R') return this.#file(this.#reads);
    if (command === 'w' || command === 'W') return this.#file(this.#writes);
    if (command === ':') {
      if (!this.#take(/[ \t]*\w+[ \t]*(?=[\n;]|$)/y)) this.#refuse('a label');
      return;
    }
    if (command === 'b' || command === 't' || command === 'T') {
      if (this.#take(/[ \t]*\w*[ \t]*(?=[\n;}]|$)/y) === undefined) this.#refuse('a label');
      return;
    }
    if (command === 'q' || command === 'Q' || command === 'l') {
      this.#take(/[ \t]*\d*/y);
      return this.#end();
    }
    if (!BARE.test(command)) this.#refuse(command === '' ? 'an address without a command' : `the command ${command}`);
    this.#end();
  }

  #substitution(): void {
    const delimiter = this.#delimiter();
    this.#delimited(delimiter, true);
    this.#delimited(delimiter, false);
    this.#take(/[gpiImM0-9]*/y);
    if (this.#next() === 'w') {
      this.#at++;
      return this.#file(this.#writes);
    }
    this.#end();
  }

  /** Everything behind a command is text up to a newline without a backslash before it. */
  #lines(): void {
    const text = this.#take(/(?:\\[^]|[^\\\n])*(?=\n|$)/y) ?? this.#refuse('a backslash at the end');
    if (text.trim() === '' || /\\[ \t]+(?:\n|$)|\\\\\n|\\\\$/.test(text)) this.#refuse('the text to insert');
    if (/^[ \t]*\\\n?$/.test(text)) this.#refuse('the text to insert');
  }

  #file(files: string[]): void {
    this.#blanks();
    const name = this.#take(FILE_NAME);
    if (name === undefined || !/^(?:\n|$)/.test(this.#text.slice(this.#at))) return this.#refuse('the name of a file');
    if (name !== '/dev/stdout' && name !== '/dev/stderr' && name !== '/dev/stdin') files.push(name);
  }

  #delimiter(): string {
    const delimiter = this.#next();
    if (!DELIMITER.test(delimiter)) this.#refuse(`"${delimiter}" as a delimiter`);
    this.#at++;
    return delimiter;
  }

  /** Passes over a regular expression or a replacement with its last delimiter. */
  #delimited(delimiter: string, isRegex: boolean): void {
    for (;;) {
      const next = this.#next();
      if (next === '') return this.#refuse('an expression without an end');
      this.#at++;
      if (next === delimiter) return;
      if (next === '\\') {
        const escaped = this.#next();
        // GNU sed makes other characters of `\\c`, `\\d065`, `\\o101`, `\\x41`; only `\\c` takes a backslash with it.
        if (escaped === '' || escaped === 'c' || (escaped === '\n' && isRegex)) this.#refuse('a backslash');
        this.#at++;
      } else if (next === '\n') this.#refuse('a line break in an expression');
      else if (next === '[' && isRegex) this.#bracket(delimiter);
    }
  }

  /** Not every sed knows that a delimiter in brackets is none. */
  #bracket(delimiter: string): void {
    const content = this.#take(/\^?\]?(?:\[:[a-z]+:\]|\\[^\n\]]|[^\]\\\n])*\]/y);
    if (content === undefined) return this.#refuse('brackets');
    const rest = content.replaceAll(/\\./gs, '');
    if (rest.includes(delimiter) || /:\].*\[/s.test(rest) || /\[[.=]/.test(rest)) this.#refuse('brackets');
  }

  /** The end of a command. */
  #end(): void {
    this.#blanks();
    if (!/^(?:[;\n}#]|$)/.test(this.#text.slice(this.#at, this.#at + 1))) this.#refuse('what follows a command');
  }

  #blanks(): void {
    this.#take(/[ \t]*/y);
  }

  #next(): string {
    return this.#text.charAt(this.#at);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) return undefined;
    this.#at += match[0].length;
    return match[0];
  }

  #refuse(what: string): never {
    throw new SedRefusal(`${what} in the sed script`);
  }
}

/** One script in one word. */
export const language: Language = {
  read(words, meaning) {
    for (const word of words) {
      if (word.value === undefined) return meaning.refuse('a sed script that is only known when it runs', word);
      try {
        const { reads, writes } = readSed(word.value);
        for (const file of reads) meaning.text('read', file);
        for (const file of writes) meaning.text('write', file);
      } catch (error) {
        if (error instanceof SedRefusal) meaning.refuse(error.message, word);
        throw error;
      }
    }
  },
};
