/** Sets (`[a-z&&[^x]]`) and the escapes that can stand in them, written anew for RegExp's `v` flag. */
import { type CaseVariants, escapeCodePoint, invalid, WORD_MEMBERS } from './js-regex-text.ts';

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\0-\\x7f',
  blank: '\\t\\u{20}',
  cntrl: '\\0-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\u{21}-\\u{7e}',
  lower: 'a-z',
  print: '\\u{20}-\\u{7e}',
  punct: '\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}',
  space: '\\t-\\r\\u{20}',
  upper: 'A-Z',
  word: '0-9A-Za-z\\u{5f}',
  xdigit: '0-9A-Fa-f',
};

const PERL: Readonly<Record<string, string>> = { d: '\\p{Nd}', s: '\\p{White_Space}', w: WORD_MEMBERS };
const CONTROL: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Expanding more characters than this for both cases would make a monster of a pattern. */
const MOST_EXPANDED = 1024;

/** Parses from a position of the pattern; `at` is behind what was read. */
export class ClassParser {
  readonly #characters: readonly string[];
  readonly #excluded: string;
  readonly #variants: CaseVariants | undefined;
  at: number;

  constructor(characters: readonly string[], at: number, excluded: string, variants: CaseVariants | undefined) {
    this.#characters = characters;
    this.at = at;
    this.#excluded = excluded;
    this.#variants = variants;
  }

  /** A whole set, without what may never match. */
  parse(): string {
    return `[${this.#set()}--[${this.#excluded}]]`;
  }

  #set(): string {
    this.at += 1;
    const negated = this.#take('^');
    let left: string | undefined;
    let operator = '';
    let members = '';
    // Dashes and a bracket right at the start are members.
    while (this.#take('-')) members += escapeCodePoint(0x2d);
    if (members === '' && this.#take(']')) members += escapeCodePoint(0x5d);
    const close = (): string => {
      const right = `[${members}]`;
      members = '';
      if (left === undefined) return right;
      // There is no symmetric difference in RegExp: what is in one but not in the other.
      return operator === '~~' ? `[[${left}--${right}][${right}--${left}]]` : `[${left}${operator}${right}]`;
    };
    for (;;) {
      const character = this.#characters[this.at];
      if (character === undefined) throw invalid('unclosed character class');
      const pair = character + (this.#characters[this.at + 1] ?? '');
      if (pair === '&&' || pair === '--' || pair === '~~') {
        left = close();
        operator = pair;
        this.at += 2;
      } else if (character === ']') {
        this.at += 1;
        const body = close();
        return negated ? `[^${body}]` : body;
      } else if (character === '[') {
        members += this.#posix() ?? this.#set();
      } else {
        members += this.#range();
      }
    }
  }

  #take(character: string): boolean {
    if (this.#characters[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #posix(): string | undefined {
    const match = /^\[:(\^?)([a-z]+):\]/u.exec(this.#characters.slice(this.at, this.at + 16).join(''));
    const members = POSIX[match?.[2] ?? ''];
    if (!match || members === undefined) return undefined;
    this.at += match[0].length;
    const closed = this.#variants?.closed(members) ?? members;
    return match[1] === '^' ? `[^${closed}]` : `[${closed}]`;
  }

  #range(): string {
    const low = this.#member();
    const dash = this.#characters[this.at] === '-';
    const next = this.#characters[this.at + 1];
    if (!dash || next === ']' || next === '-' || next === undefined) {
      return typeof low === 'number' ? this.#members(low, low) : low;
    }
    this.at += 1;
    const high = this.#member();
    if (typeof low === 'string' || typeof high === 'string') throw invalid('invalid range boundary');
    if (low > high) throw invalid('invalid character class range');
    return this.#members(low, high);
  }

  #members(low: number, high: number): string {
    const range = low === high ? escapeCodePoint(low) : `${escapeCodePoint(low)}-${escapeCodePoint(high)}`;
    if (!this.#variants || high - low > MOST_EXPANDED) return range;
    let all = range;
    for (let code = low; code <= high; code += 1) all += this.#variants.of(code).map(escapeCodePoint).join('');
    return all;
  }

  #member(): string | number {
    const character = this.#characters[this.at] ?? '';
    if (character === '\\') return this.escape();
    this.at += 1;
    return character.codePointAt(0) ?? 0;
  }

  /** An escape: a character, or the members of a set. */
  escape(): string | number {
    const letter = this.#characters[this.at + 1];
    if (letter === undefined) throw invalid('incomplete escape sequence');
    this.at += 2;
    const perl = PERL[letter.toLowerCase()];
    if (perl !== undefined && letter !== 'S' && letter !== 'D' && letter !== 'W') return perl;
    if (perl !== undefined) return `[^${perl}]`;
    if (letter === 'p' || letter === 'P') return this.#property(letter === 'P');
    const control = CONTROL[letter];
    if (control !== undefined) return control;
    const digits = HEX_DIGITS[letter];
    if (digits !== undefined) return this.#hex(digits);
    if (/^[\dA-Za-z<>]$/u.test(letter) || (letter.codePointAt(0) ?? 0) > 0x7f) {
      throw invalid('unrecognized escape sequence');
    }
    return letter.codePointAt(0) ?? 0;
  }

  #braced(): string | undefined {
    if (this.#characters[this.at] !== '{') return undefined;
    const close = this.#characters.indexOf('}', this.at);
    if (close < 0) throw invalid('incomplete escape sequence');
    const body = this.#characters.slice(this.at + 1, close).join('');
    this.at = close + 1;
    return body;
  }

  #hex(digits: number): number {
    const braced = this.#braced();
    const text = braced ?? this.#characters.slice(this.at, this.at + digits).join('');
    if (braced === undefined) this.at += digits;
    const code = Number.parseInt(text, 16);
    const complete = /^[\da-fA-F]+$/u.test(text) && (braced !== undefined || text.length === digits);
    if (!complete || code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff))
      throw invalid('invalid hexadecimal escape');
    return code;
  }

  #property(negatedOutside: boolean): string {
    const single = this.#characters[this.at] ?? '';
    const braced = this.#braced();
    if (braced === undefined) this.at += 1;
    const name = braced ?? single;
    const negated = negatedOutside !== name.startsWith('^');
    const plain = name.replace(/^\^/u, '').replace(':', '=');
    for (const candidate of [plain, `Script=${plain}`]) {
      const source = `\\p{${candidate}}`;
      if (!isProperty(source)) continue;
      const closed = this.#variants?.closed(source) ?? source;
      return negated ? `[^${closed}]` : closed;
    }
    throw invalid(`Unicode property not found: ${name}`);
  }
}

function isProperty(source: string): boolean {
  try {
    return new RegExp(source, 'v').flags === 'v';
  } catch {
    // The engine does not know the property under this name; the caller tries the next one.
    return false;
  }
}
