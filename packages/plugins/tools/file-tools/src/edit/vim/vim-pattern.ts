/** Vim's patterns as JavaScript's. What has no counterpart is refused by name. */
import { VimError } from './vim-error.ts';

const CLASSES: Readonly<Record<string, string>> = {
  s: '[ \\t]',
  S: '[^ \\t\\n]',
  d: '[0-9]',
  D: '[^0-9\\n]',
  x: '[0-9A-Fa-f]',
  X: '[^0-9A-Fa-f\\n]',
  o: '[0-7]',
  w: '[0-9A-Za-z_]',
  W: '[^0-9A-Za-z_\\n]',
  h: '[A-Za-z_]',
  H: '[^A-Za-z_\\n]',
  a: '[A-Za-z]',
  A: '[^A-Za-z\\n]',
  l: '[a-z]',
  L: '[^a-z\\n]',
  u: '[A-Z]',
  U: '[^A-Z\\n]',
  i: '[0-9A-Za-z_\\u00c0-\\u00ff]',
  k: '[0-9A-Za-z_\\u00c0-\\u00ff]',
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\\n', t: '\\t', r: '\\r', e: '\\x1b' };
const KEYWORD = '[0-9A-Za-z_\\u00c0-\\u00ff]';
const NAMED_SETS: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: '0-9A-Za-z',
  lower: 'a-z',
  upper: 'A-Z',
  space: ' \\t\\v\\f\\r',
  blank: ' \\t',
  xdigit: '0-9A-Fa-f',
  punct: '!-\\/:-@\\[-`{-~',
};

/** A pattern that can be searched for. */
export interface VimPattern {
  /** Global; `^` and `$` are line ends, also inside of a text of several lines. */
  readonly regex: RegExp;
  /** Whether it can match across lines. */
  readonly spansLines: boolean;
}

type Magic = 'very' | 'magic' | 'nomagic' | 'none';
/** Which characters have a meaning without a backslash; the others have it with one. */
const SPECIAL: Readonly<Record<Magic, string>> = {
  very: '^$.*[~(){|+=?<>@%&',
  magic: '^$.*[~',
  nomagic: '^$',
  none: '^$',
};

/** Reads a pattern with `magic` set, as vim has it by default. */
export function readPattern(source: string, options: { readonly ignoreCase?: boolean } = {}): VimPattern {
  const reader = new PatternReader(source);
  const text = reader.read();
  const isCaseFree = reader.caseFree ?? options.ignoreCase ?? false;
  try {
    return { regex: new RegExp(text, `gu${isCaseFree ? 'i' : ''}`), spansLines: reader.spansLines };
  } catch (fault) {
    throw new VimError(`the pattern "${source}" cannot be read: ${(fault as Error).message}`);
  }
}

class PatternReader {
  readonly #source: string;
  #at = 0;
  #magic: Magic = 'magic';
  caseFree: boolean | undefined;
  spansLines = false;
  #depth = 0;
  /** Nothing to repeat comes before: a star is a star there. */
  #isStart = true;

  constructor(source: string) {
    this.#source = source;
  }

  read(): string {
    const parts: string[] = [];
    while (this.#at < this.#source.length) parts.push(this.#next());
    if (this.#depth > 0) throw new VimError(`the pattern "${this.#source}" has an unclosed group.`);
    return parts.join('');
  }

  #next(): string {
    const char = this.#take();
    const isEscaped = char === '\\';
    const name = isEscaped ? this.#take() : char;
    if (name === '') throw new VimError(`the pattern "${this.#source}" ends with a backslash.`);
    const wasStart = this.#isStart;
    this.#isStart = false;
    if (isEscaped && 'vmMVcC'.includes(name)) {
      this.#isStart = wasStart;
      return this.#setting(name);
    }
    if (isEscaped && (name in CLASSES || name in CONTROLS) && !this.#isSpecialPlain(name)) {
      if (name === 'n') {
        this.spansLines = true;
        this.#isStart = true;
      }
      return CLASSES[name] ?? CONTROLS[name] ?? '';
    }
    if (isEscaped && name === '_') return this.#withLines();
    if (isEscaped && /[0-9]/.test(name)) {
      if (name === '0') throw this.#unsupported('\\0');
      return `\\${name}(?:)`;
    }
    if (isEscaped && /[a-zA-Z]/.test(name)) throw this.#unsupported(`\\${name}${this.#source[this.#at] ?? ''}`);
    const hasMeaning = this.#isSpecialPlain(name) !== isEscaped;
    if (!hasMeaning) return literal(name);
    return this.#special(name, wasStart, isEscaped);
  }

  #isSpecialPlain(name: string): boolean {
    return SPECIAL[this.#magic].includes(name);
  }

  #special(name: string, wasStart: boolean, isEscaped: boolean): string {
    switch (name) {
      case '^':
        // In the middle of a pattern it is a character.
        if (!wasStart && this.#magic !== 'very') return literal('^');
        this.#isStart = true;
        return '(?<![^\\n])';
      case '$':
        return this.#isEnd() || this.#magic === 'very' ? '(?![^\\n])' : literal('$');
      case '.':
        return '[^\\n]';
      case '[':
        return this.#set();
      case '*':
        return wasStart ? literal('*') : '*';
      case '+':
        return '+';
      case '=':
      case '?':
        return '?';
      case '{':
        return this.#times();
      case '(':
        this.#depth++;
        this.#isStart = true;
        return '(';
      case '%':
        if (this.#source[this.#at] !== '(') throw this.#unsupported(`\\%${this.#source[this.#at] ?? ''}`);
        this.#at++;
        this.#depth++;
        this.#isStart = true;
        return '(?:';
      case ')':
        if (this.#depth-- === 0) throw new VimError(`the pattern "${this.#source}" closes a group that is not open.`);
        return ')';
      case '|':
        this.#isStart = true;
        return '|';
      case '<':
        this.#isStart = true;
        return `(?<!${KEYWORD})(?=${KEYWORD})`;
      case '>':
        return `(?<=${KEYWORD})(?!${KEYWORD})`;
      default:
        if (name === '~' || name === '&' || name === '@') throw this.#unsupported(isEscaped ? `\\${name}` : name);
        return literal(name);
    }
  }

  #isEnd(): boolean {
    const rest = this.#source.slice(this.#at);
    return rest === '' || /^\\[)|n&cC]/.test(rest);
  }

  #setting(name: string): string {
    if (name === 'c') this.caseFree = true;
    else if (name === 'C') this.caseFree = false;
    else this.#magic = ({ v: 'very', m: 'magic', M: 'nomagic', V: 'none' } as const)[name as 'v' | 'm' | 'M' | 'V'];
    return '';
  }

  /** `\_s`, `\_.`: with line ends. */
  #withLines(): string {
    const name = this.#take();
    this.spansLines = true;
    if (name === '.') return '[\\s\\S]';
    const inner = CLASSES[name];
    if (inner === undefined || inner.startsWith('[^')) throw this.#unsupported(`\\_${name}`);
    return `${inner.slice(0, -1)}\\n]`;
  }

  #times(): string {
    const end = this.#source.indexOf('}', this.#at);
    const inner = /^(-?)(\d*)(?:(,)(\d*))?\\?$/.exec(end < 0 ? '!' : this.#source.slice(this.#at, end));
    if (!inner) throw new VimError(`the pattern "${this.#source}" has a repetition that cannot be read.`);
    this.#at = end + 1;
    const [, lazy, least = '', comma, most = ''] = inner;
    const ending = lazy ? '?' : '';
    if (least === '' && !comma) return `*${ending}`;
    return comma ? `{${least || '0'},${most}}${ending}` : `{${least}}${ending}`;
  }

  #set(): string {
    const match = /^(\^?)(\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*)\]/s.exec(this.#source.slice(this.#at));
    // Without an end it is a character.
    if (!match) return literal('[');
    this.#at += match[0].length;
    const [, not = '', body = ''] = match;
    if (/\\n/.test(body)) this.spansLines = true;
    const parts = body.replaceAll(
      /\[:([a-z]+):\]|\\([\\\]^\-tnre])|([\s\S])/gu,
      (_, named?: string, escaped?: string, plain?: string) => {
        if (named !== undefined) {
          const set = NAMED_SETS[named];
          if (set === undefined) throw this.#unsupported(`[:${named}:]`);
          return set;
        }
        if (escaped !== undefined) return CONTROLS[escaped] ?? `\\${escaped}`;
        return plain === '-'
          ? '-'
          : plain === '\\'
            ? '\\\\'
            : '[]^'.includes(plain ?? '')
              ? `\\${plain}`
              : (plain ?? '');
      },
    );
    // A hyphen at an edge stands for itself; `u` wants that said only in the middle, which a range is.
    return not ? `[^${parts}\\n]` : `[${parts}]`;
  }

  #take(): string {
    const char = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    if (this.#at >= this.#source.length) return '';
    this.#at += char.length;
    return char;
  }

  #unsupported(what: string): VimError {
    return new VimError(
      `"${what}" is not supported in patterns here; in a literal text put a backslash before it, or use \\V.`,
    );
  }
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(char) && char !== '-' ? `\\${char}` : char;
}
