/**
 * Patterns in the dialect of Rust's regex crate. Only their sets become RegExps of JavaScript: there the same letters
 * mean different things (`\d`, `\w` and `\b` are Unicode-aware here, `.` and negated sets stay on their line, `^` and `$`
 * are line borders that see through `\r\n`, bytes that are not UTF-8 match nothing), and some patterns take hours.
 */
import { NativeError } from '../task.ts';
import { Finder } from './js-automaton.ts';
import { ClassParser } from './js-regex-class.ts';
import {
  type Border,
  LINE_END,
  LINE_START,
  PLAIN_LINE_END,
  PLAIN_LINE_START,
  type RegexNode,
  TEXT_END,
  TEXT_START,
  WORD_BORDERS,
} from './js-regex-node.ts';
import { CaseVariants, escapeCodePoint, invalid, LINE_BREAKS } from './js-regex-text.ts';
import { namesLineBreak, repair } from './js-repair.ts';

/** A pattern, ready to search. */
export interface JsPattern {
  readonly finder: Finder;
  readonly multiline: boolean;
  readonly repaired?: string;
  /** Text that every match consists of, when the pattern is nothing but text. */
  readonly literal?: string;
}

/** The flags of a group. */
interface Flags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
  readonly swapGreed: boolean;
  readonly verbose: boolean;
  /** `^` and `$` are borders of lines. */
  readonly byLine: boolean;
  /** `\r` breaks lines, too. */
  readonly returns: boolean;
}

/** Lines of a file, as grep searches them; or a text as a whole, as the regex crate reads it by itself. */
type Dialect = 'lines' | 'text';

function startFlags(dialect: Dialect, ignoreCase: boolean): Flags {
  const byLine = dialect === 'lines';
  return { ignoreCase, dotAll: false, swapGreed: false, verbose: false, byLine, returns: byLine };
}

/** Compiles a pattern as `Regex::new` does: for a text as a whole, with nothing repaired. */
export function compileText(source: string): Finder {
  const { root, ignoreCase } = new PatternParser(source, false, true, 'text').parse();
  return new Finder(root, ignoreCase);
}

/** Compiles a pattern as `Pattern::new` does. */
export function compilePattern(
  text: string,
  options: { readonly literal: boolean; readonly ignoreCase: boolean; readonly multiline?: boolean },
): JsPattern {
  if (text === '') {
    throw new NativeError('failure', 'the pattern is empty; give the text or regex to search for');
  }
  const source = options.literal ? escapeLiteral(text) : repair(text);
  const namesBreak = namesLineBreak(source) || (options.literal && /[\n\r]/u.test(text));
  const multiline = options.multiline ?? namesBreak;
  // Parsed before the check of line breaks, as on the native side: a syntax error is the better message.
  const parser = new PatternParser(source, options.ignoreCase, multiline);
  const parsed = parser.parse();
  if (!multiline && namesBreak) {
    throw new NativeError(
      'failure',
      'the pattern names a line break but multiline is off; leave multiline unset or drop the \\n',
    );
  }
  const finder = new Finder(parsed.root, parsed.ignoreCase);
  const plain = !parsed.ignoreCase && (options.literal || /^[\w \-/:;=<>@"'`~!%&,#]+$/u.test(text));
  return {
    finder,
    multiline,
    ...(!options.literal && source !== text ? { repaired: source } : {}),
    ...(plain && !/[\n\r]/u.test(text) ? { literal: text } : {}),
  };
}

function borderNode(border: Border): RegexNode {
  return { type: 'border', border };
}

function escapeLiteral(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$#&\-~]/gu, '\\$&');
}

class PatternParser {
  readonly #characters: string[];
  readonly #multiline: boolean;
  readonly #dialect: Dialect;
  readonly #names = new Set<string>();
  readonly #variants = new CaseVariants();
  #at = 0;
  #flags: Flags;
  #mixedCase = false;
  readonly #startedIgnoringCase: boolean;

  constructor(source: string, ignoreCase: boolean, multiline: boolean, dialect: Dialect = 'lines') {
    this.#characters = [...source];
    this.#multiline = multiline;
    this.#dialect = dialect;
    this.#startedIgnoringCase = ignoreCase;
    this.#flags = startFlags(dialect, ignoreCase);
  }

  parse(): { root: RegexNode; ignoreCase: boolean } {
    // Flags that lead the pattern hold for all of it, so the engine's own flag can serve.
    const lead = /^\(\?([a-zA-Z]*)(?:-[a-zA-Z]*)?\)/u.exec(this.#characters.join(''));
    if (lead?.[1]?.includes('i')) this.#flags = { ...this.#flags, ignoreCase: true };
    const whole = this.#flags.ignoreCase;
    let root = this.#alternatives();
    if (this.#at < this.#characters.length) throw invalid('unopened group');
    if (this.#mixedCase) {
      // Case is switched inside the pattern: write both cases out instead of using the engine's flag.
      this.#rewind();
      this.#variants.enabled = true;
      root = this.#alternatives();
      return { root, ignoreCase: false };
    }
    return { root, ignoreCase: whole };
  }

  #rewind(): void {
    this.#at = 0;
    this.#names.clear();
    this.#flags = startFlags(this.#dialect, this.#startedIgnoringCase);
  }

  #peek(offset = 0): string | undefined {
    return this.#characters[this.#at + offset];
  }

  #take(text: string): boolean {
    const letters = [...text];
    if (!letters.every((letter, index) => this.#peek(index) === letter)) return false;
    this.#at += letters.length;
    return true;
  }

  #alternatives(): RegexNode {
    const outer = this.#flags;
    const first = this.#sequence();
    const branches = [first];
    while (this.#take('|')) branches.push(this.#sequence());
    this.#flags = outer;
    return branches.length === 1 ? first : { type: 'choice', branches };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (;;) {
      this.#skipBlanks();
      const next = this.#peek();
      if (next === undefined || next === '|' || next === ')') return { type: 'sequence', parts };
      const operand = this.#operand();
      if (operand !== undefined) parts.push(this.#repeated(operand));
    }
  }

  #skipBlanks(): void {
    while (this.#flags.verbose) {
      if (/^\p{White_Space}$/u.test(this.#peek() ?? '')) this.#at += 1;
      else if (this.#peek() === '#') {
        while (this.#peek() !== undefined && this.#peek() !== '\n') this.#at += 1;
      } else return;
    }
  }

  #repeated(operand: RegexNode): RegexNode {
    let out = operand;
    for (;;) {
      this.#skipBlanks();
      const times = this.#repetition();
      if (times === undefined) return out;
      const lazy = this.#take('?') !== this.#flags.swapGreed;
      out = { type: 'repeat', body: out, ...times, lazy };
    }
  }

  #repetition(): { least: number; most: number } | undefined {
    const next = this.#peek();
    if (next === '*' || next === '+' || next === '?') {
      this.#at += 1;
      return { least: next === '+' ? 1 : 0, most: next === '?' ? 1 : Infinity };
    }
    if (next !== '{') return undefined;
    const close = this.#characters.indexOf('}', this.#at);
    const body = close < 0 ? '' : this.#characters.slice(this.#at + 1, close).join('');
    const bounds = /^(\d+)(?:(,)(\d*))?$/u.exec(body);
    if (!bounds) throw invalid('repetition quantifier expects a valid decimal');
    const [, low, comma, high] = bounds;
    if (high && Number(low) > Number(high)) throw invalid('invalid repetition count range');
    this.#at = close + 1;
    return { least: Number(low), most: Number(comma ? high || Infinity : low) };
  }

  /** One thing that can be repeated, or nothing for flags, which cannot. */
  #operand(): RegexNode | undefined {
    const character = this.#characters[this.#at] ?? '';
    switch (character) {
      case '(':
        return this.#group();
      case '[': {
        const parser = new ClassParser(this.#characters, this.#at, this.#excluded(), this.#caseVariants());
        const source = parser.parse();
        this.#at = parser.at;
        return { type: 'set', source };
      }
      case '.':
        this.#at += 1;
        return { type: 'set', source: this.#anyCharacter() };
      case '^':
        this.#at += 1;
        return borderNode(this.#start());
      case '$':
        this.#at += 1;
        return borderNode(this.#end());
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
      case '{':
        throw invalid('repetition operator missing expression');
      default:
        this.#at += 1;
        return this.#literal(character.codePointAt(0) ?? 0);
    }
  }

  #anyCharacter(): string {
    if (this.#flags.dotAll) return `[^${this.#excluded()}]`;
    return `[^${this.#flags.returns ? LINE_BREAKS : String.raw`\n`}\\p{Cs}]`;
  }

  #start(): Border {
    if (!this.#flags.byLine) return TEXT_START;
    return this.#flags.returns ? LINE_START : PLAIN_LINE_START;
  }

  #end(): Border {
    if (!this.#flags.byLine) return TEXT_END;
    return this.#flags.returns ? LINE_END : PLAIN_LINE_END;
  }

  /** What no set may contain: bytes that are not text and, on one line, line breaks. */
  #excluded(): string {
    return this.#multiline ? '\\p{Cs}' : `${LINE_BREAKS}\\p{Cs}`;
  }

  #caseVariants(): CaseVariants | undefined {
    return this.#variants.enabled && this.#flags.ignoreCase ? this.#variants : undefined;
  }

  #literal(code: number): RegexNode {
    if (!this.#multiline && (code === 10 || code === 13)) {
      throw invalid('a line break is not allowed in a search by line');
    }
    if (!this.#flags.ignoreCase) {
      return { type: 'set', source: escapeCodePoint(code), only: String.fromCodePoint(code) };
    }
    return { type: 'set', source: this.#caseVariants()?.set(code) ?? escapeCodePoint(code) };
  }

  #escape(): RegexNode {
    const letter = this.#peek(1);
    if (letter === undefined) throw invalid('incomplete escape sequence');
    if (/^\d$/u.test(letter)) {
      throw new NativeError(
        'failure',
        'back-references such as \\1 are not supported; search for the first part and filter the results',
      );
    }
    const half = /^b\{(start|end|start-half|end-half)\}/u.exec(this.#characters.slice(this.#at + 1).join(''))?.[1];
    const border = WORD_BORDERS.get(half ?? letter);
    if (border !== undefined) {
      this.#at += half === undefined ? 2 : half.length + 4;
      return borderNode(border);
    }
    if (letter === 'A' || letter === 'z') {
      this.#at += 2;
      if (this.#multiline) return borderNode(letter === 'A' ? TEXT_START : TEXT_END);
      throw new NativeError(
        'failure',
        '\\A and \\z are the borders of the whole file; lines are searched one by one, so use ^ and $',
      );
    }
    const parser = new ClassParser(this.#characters, this.#at, this.#excluded(), this.#caseVariants());
    const member = parser.escape();
    this.#at = parser.at;
    if (typeof member === 'number') return this.#literal(member);
    return { type: 'set', source: `[[${member}]--[${this.#excluded()}]]` };
  }

  #group(): RegexNode | undefined {
    const rest = this.#characters.slice(this.#at, this.#at + 4).join('');
    if (/^\(\?(?:<?[=!])/u.test(rest)) {
      throw new NativeError(
        'failure',
        'look-around such as (?=…) or (?<!…) is not supported; match the surrounding text itself, or search for the ' +
          'plain part and filter the results',
      );
    }
    const outer = this.#flags;
    if (this.#take('(?P<') || this.#take('(?<')) this.#name();
    else if (this.#take('(?')) {
      const closed = this.#groupFlags();
      // Flags without a body hold until the enclosing group ends.
      if (closed) return undefined;
    } else this.#at += 1;
    const body = this.#alternatives();
    if (!this.#take(')')) throw invalid('unclosed group');
    this.#flags = outer;
    return body;
  }

  #name(): void {
    const end = this.#characters.indexOf('>', this.#at);
    const name = end < 0 ? '' : this.#characters.slice(this.#at, end).join('');
    if (!/^[\p{Alphabetic}_][\p{Alphabetic}\p{Nd}_.[\]]*$/u.test(name)) throw invalid('invalid capture group name');
    if (this.#names.has(name)) throw invalid('duplicate capture group name');
    this.#names.add(name);
    this.#at = end + 1;
  }

  /** Reads flags; true when they end the group, false when its body follows. */
  #groupFlags(): boolean {
    let on = true;
    let seen = '';
    for (;;) {
      const letter = this.#characters[this.#at];
      this.#at += 1;
      if (letter === ')' || letter === ':') {
        if (seen.endsWith('-') || (seen === '' && letter === ')')) throw invalid('missing flags');
        return letter === ')';
      }
      if (letter === '-') {
        if (!on) throw invalid('flag negation operator repeated');
        on = false;
        seen += '-';
        continue;
      }
      if (letter === undefined || !'imsUuxR'.includes(letter)) throw invalid('unrecognized flag');
      if (seen.includes(letter)) throw invalid('duplicate flag');
      seen += letter;
      if (!on && (letter === 'u' || (this.#dialect === 'lines' && 'mR'.includes(letter)))) {
        throw invalid(`the flag ${letter} cannot be switched off`);
      }
      this.#setFlag(letter, on);
    }
  }

  #setFlag(letter: string, on: boolean): void {
    if (letter === 'i') {
      if (this.#flags.ignoreCase !== on) this.#mixedCase = true;
      this.#flags = { ...this.#flags, ignoreCase: on };
    } else if (letter === 's') this.#flags = { ...this.#flags, dotAll: on };
    else if (letter === 'm') this.#flags = { ...this.#flags, byLine: on };
    else if (letter === 'R') this.#flags = { ...this.#flags, returns: on };
    else if (letter === 'U') this.#flags = { ...this.#flags, swapGreed: on };
    else if (letter === 'x') this.#flags = { ...this.#flags, verbose: on };
  }
}
