/** Words as the shell would see them: quotes removed, known variables and braces put in, the rest marked as unknown. */
import type { BashStatement, BashWord } from './bash.ts';

/** A word of a command. */
export interface Word {
  readonly text: string;
  /** What it certainly is. */
  readonly value?: string;
  /** What it is but for globs that the shell will expand; the same as `value` without globs. */
  readonly pattern?: string;
  /** What it certainly begins with. */
  readonly prefix: string;
  /** The whole of it, with a variable that nobody knows in the place of what is unknown. */
  readonly template: string;
  /** True when it may become several words or none. */
  readonly splits: boolean;
  /** What runs to make it. */
  readonly runs: readonly (readonly BashStatement[])[];
}

/** What a variable holds: one text, a list, or something that is only known when it runs. */
export type Value = string | readonly string[] | undefined;

/** What words are expanded with. */
export interface Expansion {
  /** What separates words in the value of an unquoted variable (`IFS`); undefined when that is unknown. */
  readonly separators: string | undefined;
  variable(name: string): Value;
  /** The output of a substitution, where that is certain. */
  output(statements: readonly BashStatement[]): string | undefined;
  readonly home: string;
}

const MAX_WORDS = 256;
/** Stands for what is unknown, where a text is judged all the same. */
const UNKNOWN = '${TENON_UNKNOWN}';

/** A word whose value is certain. */
export function knownWord(value: string): Word {
  return { text: value, value, pattern: value, prefix: value, template: value, splits: false, runs: [] };
}

/** A word of which nothing is known. */
export function unknownWord(text: string): Word {
  return { text, prefix: '', template: UNKNOWN, splits: true, runs: [] };
}

/** All words that one written word becomes. */
export function expandWord(word: BashWord, expansion: Expansion): Word[] {
  if (word.value !== undefined) return [{ ...knownWord(word.value), text: word.text, runs: word.runs }];
  const alternatives = expandBraces(word.text);
  if (alternatives.length > MAX_WORDS) return [{ ...unknownWord(word.text), runs: word.runs }];
  return alternatives.flatMap((text) => new WordReader(text, word, expansion).read());
}

/** The parts of a word while it is read: pieces of fields, where a field is what becomes one word. */
class WordReader {
  readonly #text: string;
  readonly #word: BashWord;
  readonly #expansion: Expansion;
  #at = 0;
  #run = 0;
  #fields: Field[] = [newField()];

  constructor(text: string, word: BashWord, expansion: Expansion) {
    this.#text = text;
    this.#word = word;
    this.#expansion = expansion;
  }

  read(): Word[] {
    if (/^~(\/|$)/.test(this.#text)) {
      this.#literal(this.#expansion.home);
      this.#at = 1;
    } else if (this.#text.startsWith('~')) {
      this.#unknown(false);
    }
    let quoted = false;
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? '';
      const rest = this.#text.slice(this.#at);
      if (char === '"') {
        quoted = !quoted;
        this.#field.isQuoted = true;
        this.#at++;
      } else if (char === "'" && !quoted) {
        this.#singleQuoted();
      } else if (char === '\\') {
        this.#escaped(quoted);
      } else if (rest.startsWith('$"') && !quoted) {
        this.#at++; // A text for translation, which is the text itself.
      } else if (rest.startsWith("$'") && !quoted) {
        this.#unknown(false);
        this.#at += quotedEnd(rest, 2);
      } else if (char === '$' || char === '`' || /^[<>]\(/.test(rest)) {
        this.#dollar(rest, quoted);
      } else {
        if (!quoted && /[*?[\]]/.test(char)) this.#field.globs = true;
        this.#literal(char);
        this.#at++;
      }
    }
    return this.#fields
      .filter(({ started, isQuoted }) => started || isQuoted)
      .map((field, index) => toWord(field, this.#word, index));
  }

  get #field(): Field {
    return this.#fields.at(-1) ?? newField();
  }

  #literal(text: string): void {
    const field = this.#field;
    field.started ||= text !== '';
    field.all += text;
    field.template += text;
    if (field.certain) field.prefix += text;
  }

  #unknown(splits: boolean): void {
    const field = this.#field;
    field.started = true;
    field.certain = false;
    field.template += UNKNOWN;
    field.splits ||= splits;
  }

  #singleQuoted(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    this.#field.isQuoted = true;
    this.#literal(this.#text.slice(this.#at + 1, end < 0 ? undefined : end));
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  #escaped(quoted: boolean): void {
    const next = this.#text[this.#at + 1] ?? '';
    if (quoted && !/[$`"\\\n]/.test(next)) this.#literal('\\');
    if (next !== '\n') this.#literal(next);
    this.#at += 2;
  }

  #dollar(rest: string, quoted: boolean): void {
    const [whole, plain, braced] =
      /^\$(?:([A-Za-z_]\w*|[0-9@*#?$!-])|\{([A-Za-z_]\w*|[0-9@*])(?:\[[@*]\])?\})/.exec(rest) ?? [];
    const name = plain ?? braced;
    if (whole !== undefined && name !== undefined) {
      this.#at += whole.length;
      this.#put(this.#expansion.variable(name), quoted);
      return;
    }
    const [, cutName] = /^\$\{([A-Za-z_]\w*)[%#]/.exec(rest) ?? [];
    const uncut = cutName === undefined ? undefined : this.#expansion.variable(cutName);
    if (typeof uncut === 'string' && !/^\/|\.\./.test(uncut)) {
      // The beginning or end of a known name: which part it is does not matter, it cannot lead elsewhere.
      this.#field.globs = true;
      this.#literal('*');
      this.#at += balancedEnd(rest, 1);
      return;
    }
    const length = rest.startsWith('$((') ? balancedEnd(rest, 1) : substitutionEnd(rest);
    if (length === undefined) {
      // `${…}` with an operator, or a lone dollar.
      const end = rest.startsWith('${') ? balancedEnd(rest, 1) : 1;
      if (end === 1) this.#literal('$');
      else this.#unknown(!quoted);
      this.#at += end;
      return;
    }
    this.#at += length;
    const statements = rest.startsWith('$((') ? undefined : this.#word.runs[this.#run++];
    const output = statements && !/^[<>]/.test(rest) ? this.#expansion.output(statements) : undefined;
    if (rest.startsWith('$((')) this.#unknown(false);
    else this.#put(output, quoted);
  }

  #put(value: Value, quoted: boolean): void {
    if (value === undefined) return this.#unknown(!quoted);
    if (typeof value === 'string' && quoted) return this.#literal(value);
    const { separators } = this.#expansion;
    if (separators === undefined && typeof value === 'string') return this.#unknown(true);
    // Blanks at the ends of a value separate it from what stands beside it.
    const fields = typeof value === 'string' ? splitAt(value, separators ?? '') : value;
    fields.forEach((field, index) => {
      if (index > 0) this.#fields.push(newField());
      if (!quoted && /[*?[]/.test(field)) this.#field.globs = true;
      if (quoted) this.#field.isQuoted = true;
      this.#literal(field);
    });
  }
}

function splitAt(value: string, separators: string): string[] {
  if (separators === '') return [value];
  return value.split(new RegExp(`[${separators.replace(/[\\\]^-]/g, '\\$&')}]+`));
}

interface Field {
  all: string;
  template: string;
  prefix: string;
  certain: boolean;
  globs: boolean;
  splits: boolean;
  started: boolean;
  isQuoted: boolean;
}

function newField(): Field {
  return {
    all: '',
    template: '',
    prefix: '',
    certain: true,
    globs: false,
    splits: false,
    started: false,
    isQuoted: false,
  };
}

function toWord(field: Field, { text, runs }: BashWord, index: number): Word {
  const { all, template, prefix, certain, globs, splits } = field;
  return {
    text,
    ...(certain && !globs && { value: all }),
    ...(certain && { pattern: all }),
    prefix: globs && certain ? prefix.slice(0, prefix.search(/[*?[]/)) : prefix,
    template,
    splits: splits || globs,
    runs: index === 0 ? runs : [],
  };
}

function quotedEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === "'") return at + 1;
  }
  return text.length;
}

/** The length of `$(…)`, backticks, `<(…)` or `>(…)` at the start of a text. */
export function substitutionEnd(text: string): number | undefined {
  if (text.startsWith('`')) {
    for (let at = 1; at < text.length; at++) {
      if (text[at] === '\\') at++;
      else if (text[at] === '`') return at + 1;
    }
    return text.length;
  }
  return /^[$<>]\(/.test(text) ? balancedEnd(text, 1) : undefined;
}

/** Where the bracket that opens at `from` is closed; quotes inside are passed over. */
function balancedEnd(text: string, from: number): number {
  const [open, close] = text[from] === '{' ? ['{', '}'] : ['(', ')'];
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\\' && quote !== "'") at++;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === open) depth++;
    else if (char === close && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The texts that `a{b,c}d` stands for; a range such as `{1..3}` stays as a glob. */
function expandBraces(text: string): string[] {
  const braces = findBraces(text);
  if (braces === undefined) return [text];
  const { start, end, parts } = braces;
  const results: string[] = [];
  for (const part of parts) {
    results.push(...expandBraces(text.slice(0, start) + part + text.slice(end)));
    if (results.length > MAX_WORDS) break;
  }
  return results;
}

function findBraces(text: string): { start: number; end: number; parts: string[] } | undefined {
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\\' && quote !== "'") at++;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === '$' || char === '`') at += Math.max(0, (dollarEnd(text.slice(at)) ?? 1) - 1);
    else if (char === '{') {
      const end = at + balancedEnd(text.slice(at), 0);
      const parts = splitParts(text.slice(at + 1, end - 1));
      if (parts.length > 1 && text[end - 1] === '}') return { start: at, end, parts };
    }
  }
  return undefined;
}

function dollarEnd(text: string): number | undefined {
  return text.startsWith('${') ? balancedEnd(text, 1) : substitutionEnd(text);
}

function splitParts(text: string): string[] {
  const parts = [''];
  let depth = 0;
  let quote = '';
  for (const char of text) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === '{') depth++;
    else if (char === '}') depth--;
    if (char === ',' && depth === 0 && quote === '') parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}
