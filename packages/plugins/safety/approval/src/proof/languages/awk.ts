/**
 * Programs of awk: expressions, control flow, and printing to the output, or to a file or a shell command that is written out. Everything
 * else that runs programs, loads code or opens files is refused, and so is what the awks in use (gawk, mawk, BWK, busybox) may read differently.
 */
import type { Language } from '../language.ts';
import { AwkRefusal, Tokens, type Token } from './awk-tokens.ts';

const BUILTINS: ReadonlySet<string> = new Set(
  (
    'length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper close fflush ' +
    'gensub strftime systime mktime asort asorti and or xor lshift rshift compl strtonum patsplit isarray typeof'
  ).split(' '),
);
const RESERVED: ReadonlySet<string> = new Set(
  (
    'BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile exit return delete in getline print printf ' +
    // `ARGV` says which files are read, `SYMTAB` and `FUNCTAB` are all variables and functions.
    'switch case default system ARGV ARGC ARGIND SYMTAB FUNCTAB'
  ).split(' '),
);
const SPECIAL_PATTERNS: ReadonlySet<string> = new Set(['BEGIN', 'END', 'BEGINFILE', 'ENDFILE']);
const BINARY: ReadonlySet<string> = new Set(
  '+ - * / % ^ ** < <= == != >= > ~ !~ && || = += -= *= /= %= ^= **='.split(' '),
);
/** Behind these, no awk takes a slash for a division. */
const BEFORE_REGEX: ReadonlySet<string> = new Set(['', '\n', ...'; { } ( , ~ !~ && || ! = == != ? :'.split(' ')]);
/** Commands that do the same whatever they read. */
const FILTER = /^(?:sort|uniq|head|tail|wc|column|cat|nl|tac|tee)(?: [\w., :=/+-]*)?$/;
const FILE_NAME = /^(?:\/?[\w.@%+,:=][\w./@%+,:=-]*)$/;

/** What a program does beyond printing. */
export interface AwkEffects {
  readonly writes: readonly string[];
  /** Shell commands that it prints to. */
  readonly scripts: readonly string[];
}

/** Reads a program; throws an `AwkRefusal` for what it does not understand. */
export function readAwk(program: string): AwkEffects {
  return new Parser(program).program();
}

class Parser {
  readonly #tokens: Tokens;
  readonly #writes: string[] = [];
  readonly #scripts: string[] = [];
  readonly #called = new Set<string>();
  readonly #defined = new Set<string>();
  /** The text of the last token that was taken. */
  #last = '';
  #depth = 0;

  constructor(program: string) {
    this.#tokens = new Tokens(program);
  }

  program(): AwkEffects {
    for (;;) {
      this.#skipEnds();
      const token = this.#peek();
      if (token.kind === 'end') break;
      if (token.text === 'function') this.#function();
      else if (SPECIAL_PATTERNS.has(token.text)) {
        this.#take();
        this.#block();
      } else if (this.#is('{')) this.#block();
      else this.#rule();
    }
    for (const name of this.#called) if (!this.#defined.has(name)) refuse(`the function ${name}`);
    return { writes: this.#writes, scripts: this.#scripts };
  }

  #rule(): void {
    this.#expression();
    if (this.#skip(',')) {
      this.#skipNewlines();
      this.#expression();
    }
    if (this.#is('{')) this.#block();
    else this.#end();
  }

  #function(): void {
    this.#take();
    this.#defined.add(this.#name());
    this.#expect('(');
    while (!this.#is(')')) {
      this.#name();
      if (!this.#is(')')) this.#expect(',');
    }
    this.#expect(')');
    this.#skipNewlines();
    this.#block();
  }

  #block(): void {
    this.#expect('{');
    this.#skipEnds();
    while (!this.#is('}')) {
      this.#statement();
      this.#skipEnds();
    }
    this.#expect('}');
  }

  #statement(): void {
    if (++this.#depth > 100) refuse('a program that is nested too deeply');
    const token = this.#peek();
    if (this.#is('{')) this.#block();
    else if (token.kind !== 'name') this.#simple();
    else if (token.text === 'if') this.#if();
    else if (token.text === 'while') {
      this.#take();
      this.#condition();
      this.#body();
    } else if (token.text === 'do') this.#do();
    else if (token.text === 'for') this.#for();
    else this.#simple();
    this.#depth--;
  }

  #if(): void {
    this.#take();
    this.#condition();
    this.#body();
    this.#skipEnds();
    if (this.#peek().text !== 'else') return;
    this.#take();
    this.#body();
  }

  #do(): void {
    this.#take();
    this.#body();
    this.#skipEnds();
    if (this.#peek().text !== 'while') refuse('`do` without `while`');
    this.#take();
    this.#condition();
    this.#end();
  }

  #for(): void {
    this.#take();
    this.#expect('(');
    if (!this.#is(';')) this.#expression();
    if (!this.#is(')')) {
      this.#expect(';');
      if (!this.#is(';')) this.#expression();
      this.#expect(';');
      if (!this.#is(')')) this.#expression();
    }
    this.#expect(')');
    this.#body();
  }

  #condition(): void {
    this.#expect('(');
    this.#expression();
    this.#expect(')');
  }

  #body(): void {
    this.#skipNewlines();
    if (!this.#skip(';')) this.#statement();
  }

  #simple(): void {
    const { kind, text } = this.#peek();
    if (kind !== 'name') this.#expression();
    else if (text === 'print' || text === 'printf') this.#print();
    else if (text === 'next' || text === 'nextfile' || text === 'break' || text === 'continue') this.#take();
    else if (text === 'exit' || text === 'return') {
      this.#take();
      if (!this.#isEnd()) this.#expression();
    } else if (text === 'delete') {
      this.#take();
      this.#variable(this.#name());
    } else this.#expression();
    this.#end();
  }

  #print(): void {
    this.#take();
    if (!this.#isEnd() && !this.#isRedirection()) {
      this.#expression({ isPrinted: true });
      while (this.#skip(',')) {
        this.#skipNewlines();
        this.#expression({ isPrinted: true });
      }
    }
    if (!this.#isRedirection()) return;
    const isPipe = this.#take().text === '|';
    const target = this.#take();
    const text = target.text.slice(1, -1);
    if (target.kind !== 'string' || text.includes('\\') || !this.#isEnd()) refuse('where it prints to');
    if (isPipe && !FILTER.test(text)) refuse('the command that it prints to');
    if (isPipe) this.#scripts.push(text);
    else if (!FILE_NAME.test(text) || text.startsWith('/inet')) refuse('the file that is written');
    else if (text !== '/dev/stdout' && text !== '/dev/stderr') this.#writes.push(text);
  }

  /** Operands with operators between them: what binds how does not matter here. In what is printed, `>` is no comparison. */
  #expression({ isPrinted = false } = {}): void {
    if (++this.#depth > 100) refuse('a program that is nested too deeply');
    let choices = 0;
    this.#operand({ isPrinted });
    for (;;) {
      const { kind, text } = this.#peek();
      if (isPrinted && this.#isRedirection()) break;
      if (kind === 'name' && text === 'in') {
        this.#take();
        this.#variable(this.#name());
      } else if (kind === 'mark' && BINARY.has(text)) {
        if (text.startsWith('/') && (this.#last === '++' || this.#last === '--')) refuse('a slash');
        this.#take();
        if (text === '&&' || text === '||') this.#skipNewlines();
        this.#operand();
      } else if (text === '?') {
        choices++;
        this.#take();
        this.#operand();
      } else if (text === ':' && choices > 0) {
        choices--;
        this.#take();
        this.#operand();
      } else if (this.#joins()) this.#operand();
      else break;
    }
    if (choices > 0) refuse('a choice without its second half');
    this.#depth--;
  }

  /** Whether an operand follows that is joined to the one before it. */
  #joins(): boolean {
    const { kind, text } = this.#peek();
    if (kind === 'number' || kind === 'string') return true;
    if (kind === 'name') return !RESERVED.has(text) || text === 'getline' || text === 'system';
    return text === '(' || text === '$' || text === '++' || text === '--';
  }

  #operand({ isPrinted = false } = {}): void {
    const { kind, text, isCall } = this.#peek();
    if (kind === 'mark' && text.startsWith('/')) return this.#regex();
    this.#take();
    if (kind === 'number' || kind === 'string') return;
    if (kind === 'name') return this.#named(text, isCall);
    if (text === '!' || text === '-' || text === '+') return this.#operand();
    if (text === '++' || text === '--') {
      if (this.#skip('$')) return this.#field();
      return this.#variable(this.#name());
    }
    if (text === '$') {
      this.#field();
      return this.#postfix();
    }
    if (text !== '(') refuse(`"${text === '\n' ? 'a line break' : text}"`);
    const count = this.#list(')');
    if (count === 0) refuse('empty parentheses');
    if (count > 1 && this.#peek().text !== 'in' && !(isPrinted && (this.#isEnd() || this.#isRedirection())))
      refuse('a list in parentheses');
  }

  #regex(): void {
    if (!BEFORE_REGEX.has(this.#last)) refuse('a slash');
    this.#last = this.#tokens.takeRegex().text;
  }

  /** What stands behind `$`. */
  #field(): void {
    const { kind, text } = this.#take();
    if (kind === 'number') return;
    if (kind === 'name') this.#variable(this.#allowed(text));
    else if (text === '$') this.#field();
    else if (text === '++' || text === '--') this.#variable(this.#name());
    else if (text !== '(' || this.#list(')') !== 1) refuse('the number of a field');
  }

  #named(name: string, isCall: boolean): void {
    if (BUILTINS.has(name)) {
      if (this.#skip('(')) this.#list(')');
      else if (name !== 'length' || this.#peek().text.startsWith('/')) refuse(`${name} without parentheses`);
      return;
    }
    this.#allowed(name);
    if (isCall) {
      this.#called.add(name);
      this.#expect('(');
      this.#list(')');
      return;
    }
    this.#variable(name);
    this.#postfix();
  }

  /** An index, if there is one. */
  #variable(_name: string): void {
    while (this.#skip('[')) if (this.#list(']') === 0) refuse('an index');
  }

  #postfix(): void {
    if (!this.#skip('++')) this.#skip('--');
  }

  /** Expressions up to a closing mark, and how many. */
  #list(close: string): number {
    if (this.#skip(close)) return 0;
    for (let count = 1; ; count++) {
      this.#expression();
      if (this.#skip(close)) return count;
      this.#expect(',');
      this.#skipNewlines();
    }
  }

  #name(): string {
    const { kind, text } = this.#take();
    if (kind !== 'name' || BUILTINS.has(text)) refuse('a name');
    return this.#allowed(text);
  }

  #allowed(name: string): string {
    if (RESERVED.has(name) || BUILTINS.has(name)) refuse(`\`${name}\``);
    return name;
  }

  #is(mark: string): boolean {
    const { kind, text } = this.#peek();
    return kind === 'mark' && text === mark;
  }

  #isEnd(): boolean {
    const { kind } = this.#peek();
    return kind === 'end' || kind === 'newline' || this.#is(';') || this.#is('}');
  }

  #isRedirection(): boolean {
    return this.#is('>') || this.#is('>>') || this.#is('|');
  }

  /** The end of a statement; a closing brace stays. */
  #end(): void {
    if (!this.#isEnd()) refuse(`"${this.#peek().text}"`);
    if (this.#peek().kind === 'newline' || this.#is(';')) this.#take();
  }

  #skipEnds(): void {
    while (this.#peek().kind === 'newline' || this.#is(';')) this.#take();
  }

  #skipNewlines(): void {
    while (this.#peek().kind === 'newline') this.#take();
  }

  #skip(mark: string): boolean {
    if (!this.#is(mark)) return false;
    this.#take();
    return true;
  }

  #expect(mark: string): void {
    if (!this.#skip(mark)) refuse(`"${this.#peek().text}"`);
  }

  #peek(): Token {
    return this.#tokens.peek();
  }

  #take(): Token {
    const token = this.#tokens.take();
    // Inside of a string or number nothing is a mark.
    this.#last = token.kind === 'mark' || token.kind === 'newline' ? token.text : 'word';
    return token;
  }
}

function refuse(what: string): never {
  throw new AwkRefusal(`${what} in the awk program`);
}

/** One program in one word. */
export const language: Language = {
  read(words, meaning) {
    for (const word of words) {
      if (word.value === undefined) return meaning.refuse('an awk program that is only known when it runs', word);
      try {
        const { writes, scripts } = readAwk(word.value);
        for (const file of writes) meaning.text('write', file);
        for (const script of scripts) meaning.text('script', script);
      } catch (error) {
        if (error instanceof AwkRefusal) meaning.refuse(error.message, word);
        throw error;
      }
    }
  },
};
