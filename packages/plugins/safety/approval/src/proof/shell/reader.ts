/** A strict reader for the part of bash that has one reading only. Everything else is refused, with the place of it. */
import { Cursor } from './cursor.ts';
import type { Assignment, Node, Redirect, Script, WordNode } from './syntax.ts';
import { checkLetter, Parts, readArithmetic, readQuoted, readWord } from './words.ts';

const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 40;

const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Words that mean something where a command begins. */
const RESERVED = new Set(
  'if then else elif fi for in do done while until case esac { } ! [[ function select time coproc'.split(' '),
);
const DELIMITER = /(?:'([\w.!@%+-]+)'|"([\w.!@%+-]+)"|\\?([A-Za-z_][\w.-]*))(?=[ \t\n;&|<>)]|$)/y;

const FUNCTION = /([A-Za-z]\w*)[ \t]*\([ \t]*\)[ \t\n]*(?=\{\s)/y;

/** Reads a script. Throws `NotUnderstood`. `isPosix` leaves out what only bash knows. */
export function readShell(text: string, { isPosix = false }: { readonly isPosix?: boolean } = {}): Script {
  if (text.length > MAX_LENGTH) new Cursor(text).refuse('a command of this length');
  // Whether these letters are quoted or not, a text without them is read by all shells in the same way.
  const onlyBash = isPosix
    ? /\[\[|<<<|&>|>&[^0-9-]|\|&|[<>]\(|\$['"]|\{[^{}]*(,|\.\.)|\becho\b[^;|&\n]*\\/.exec(text)
    : null;
  if (onlyBash) new Cursor(text, onlyBash.index).refuse('what only bash knows, in a script for another shell');
  return new Reader(new Cursor(text)).script(undefined);
}

/** A statement that redirections can follow. */
type Compound = Extract<Node, { readonly redirects: readonly Redirect[] }>;

/** A here-document whose text begins on the next line. */
interface Pending {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  fill(body: WordNode): void;
}

class Reader {
  readonly #cursor: Cursor;
  readonly #depth: number;
  #pending: Pending[] = [];

  constructor(cursor: Cursor, depth = 0) {
    this.#cursor = cursor;
    this.#depth = depth;
    if (depth > MAX_DEPTH) cursor.refuse('commands inside of commands this deep');
  }

  /** Statements up to the closing bracket, or the end. */
  script(end: ')' | undefined): Script {
    const script = this.#statements(new Set());
    if (this.#pending.length > 0) this.#cursor.refuse('a here-document without a text');
    if (end === undefined) {
      if (!this.#cursor.isDone) this.#cursor.refuse(`"${this.#cursor.char}" at this place`);
    } else if (!this.#cursor.takes(end)) this.#cursor.refuse('a bracket that is not closed');
    return script;
  }

  /** Words read scripts of their own: a substitution. */
  readonly #inner = (cursor: Cursor, end: ')' | undefined): Script => new Reader(cursor, this.#depth + 1).script(end);

  #statements(until: ReadonlySet<string>): Script {
    const items: { node: Node; background: boolean }[] = [];
    for (;;) {
      this.#blanksAndLines();
      const { char } = this.#cursor;
      if (char === '' || char === ')' || this.#cursor.sees(';;')) break;
      const word = this.#reserved();
      if (word !== undefined && until.has(word)) break;
      const node = this.#list();
      this.#blanks();
      const background = this.#cursor.char === '&' && !this.#cursor.sees('&&');
      items.push({ node, background });
      if (background) this.#cursor.at++;
      else if (this.#cursor.char === ';' && !this.#cursor.sees(';;')) this.#cursor.at++;
      else if (this.#cursor.char === '\n') this.#line();
      else break;
    }
    return { items };
  }

  /** `a && b || c`. */
  #list(): Node {
    let left = this.#pipeline();
    for (;;) {
      this.#blanks();
      const operator = this.#cursor.takes('&&') ? '&&' : this.#cursor.takes('||') ? '||' : undefined;
      if (operator === undefined) return left;
      this.#blanksAndLines();
      const right = this.#pipeline();
      left = { type: 'list', operator, left, right, start: left.start, end: right.end };
    }
  }

  #pipeline(): Node {
    const { at: start } = this.#cursor;
    let isNegated = false;
    let word = this.#reserved();
    if (word === 'time') {
      this.#cursor.at += 4;
      this.#blanks();
      if (this.#cursor.match(/-p(?=[ \t])/y)) {
        this.#cursor.at += 2;
        this.#blanks();
      }
      if (this.#cursor.char === '-' || this.#cursor.char === '\n' || this.#cursor.isDone)
        this.#cursor.refuse('flags of time', start);
      word = this.#reserved();
      if (word === 'time') this.#cursor.refuse('time of time', start);
    }
    if (word === '!') {
      isNegated = true;
      this.#cursor.at++;
      this.#blanks();
      if (this.#reserved() === '!' || this.#reserved() === 'time') this.#cursor.refuse('"!" at this place');
    }
    const commands = [this.#command()];
    for (;;) {
      this.#blanks();
      if (this.#cursor.sees('||') || !this.#cursor.takes('|')) break;
      this.#cursor.takes('&');
      this.#blanksAndLines();
      if (this.#reserved() === '!' || this.#reserved() === 'time') this.#cursor.refuse('a reserved word in a pipeline');
      commands.push(this.#command());
    }
    const span = { start, end: this.#cursor.at };
    const [first] = commands;
    const node: Node = commands.length === 1 && first ? first : { type: 'pipeline', commands, ...span };
    return isNegated ? { type: 'not', command: node, ...span } : node;
  }

  #command(): Node {
    const { at: start } = this.#cursor;
    const word = this.#reserved();
    switch (word) {
      case undefined:
        if (this.#cursor.sees('((')) return this.#arithmetic(start);
        if (this.#cursor.match(FUNCTION)) return this.#function(start);
        return this.#cursor.char === '(' ? this.#subshell() : this.#simple();
      case '{':
      case 'if':
      case 'for':
      case 'while':
      case 'until':
      case 'case':
      case '[[':
        this.#cursor.at += word.length;
        return this.#compound(word, start);
      default:
        return this.#cursor.refuse(`the reserved word "${word}" at this place`);
    }
  }

  /** `((i++))`, `((i = 1))`, `((i < 5))`. */
  #arithmetic(start: number): Node {
    const cursor = this.#cursor;
    const number = (names: readonly string[]): WordNode => ({
      parts: [{ type: 'number', quoted: true, names }],
      start,
      end: cursor.at,
    });
    const [whole, name, operator = ''] =
      cursor.match(/\(\(\s*([A-Za-z_]\w*)\s*(\+\+|--|=\s*\d+|[-+*]=\s*\d+)\s*\)\)/y) ?? [];
    if (whole === undefined || name === undefined) {
      const words = [number(readArithmetic(cursor, start))];
      return { type: 'test', words, redirects: [], start, end: cursor.at };
    }
    cursor.at += whole.length;
    const assignment = { name, value: number(operator.startsWith('=') ? [] : [name]), start, end: cursor.at };
    return { type: 'simple', assignments: [assignment], words: [], redirects: [], start, end: cursor.at };
  }

  /** `name() { … }`. */
  #function(start: number): Node {
    const [whole = '', name = ''] = this.#cursor.match(FUNCTION) ?? [];
    const at = (this.#cursor.at += whole.length);
    this.#cursor.at++;
    const body = this.#compound('{', at);
    return { type: 'function', name, body, start, end: this.#cursor.at };
  }

  #subshell(): Node {
    const start = this.#cursor.at++;
    const reader = this.#nested();
    const body = reader.#statements(new Set());
    if (body.items.length === 0) this.#cursor.refuse('an empty list of commands', start);
    if (!this.#cursor.takes(')')) this.#cursor.refuse('a bracket that is not closed', start);
    return { type: 'subshell', body, redirects: this.#redirects(), start, end: this.#cursor.at };
  }

  /** Here-documents of what is inside belong to the same lines. */
  #nested(): Reader {
    const reader = new Reader(this.#cursor, this.#depth + 1);
    reader.#pending = this.#pending;
    return reader;
  }

  #compound(word: string, start: number): Node {
    const reader = this.#nested();
    const node = reader.#body(word, start);
    return { ...node, redirects: this.#redirects(), end: this.#cursor.at };
  }

  #body(word: string, start: number): Compound {
    const span = { start, end: start };
    switch (word) {
      case '{': {
        const body = this.#until('}');
        this.#word('}');
        return { type: 'group', body, redirects: [], ...span };
      }
      case 'if':
        return this.#if(span);
      case 'for':
        return this.#for(span);
      case 'case':
        return this.#case(span);
      case '[[':
        return this.#test(span);
      default: {
        const condition = this.#until('do');
        this.#word('do');
        const body = this.#until('done');
        this.#word('done');
        return { type: 'while', condition, body, redirects: [], ...span };
      }
    }
  }

  #until(...words: readonly string[]): Script {
    const script = this.#statements(new Set(words));
    if (script.items.length === 0) this.#cursor.refuse('an empty list of commands');
    return script;
  }

  /** Passes a reserved word that must stand here. */
  #word(word: string): void {
    this.#blanksAndLines();
    if (this.#reserved() !== word) this.#cursor.refuse(`a missing "${word}"`);
    this.#cursor.at += word.length;
  }

  #if(span: { start: number; end: number }): Compound {
    const branches: { condition: Script; body: Script }[] = [];
    for (;;) {
      const condition = this.#until('then');
      this.#word('then');
      branches.push({ condition, body: this.#until('elif', 'else', 'fi') });
      if (this.#reserved() !== 'elif') break;
      this.#word('elif');
    }
    let otherwise: Script | undefined;
    if (this.#reserved() === 'else') {
      this.#word('else');
      otherwise = this.#until('fi');
    }
    this.#word('fi');
    return { type: 'if', branches, ...(otherwise && { otherwise }), redirects: [], ...span };
  }

  #for(span: { start: number; end: number }): Compound {
    this.#blanks();
    const name = this.#cursor.match(/[A-Za-z_]\w*(?=[ \t])/y)?.[0];
    if (name === undefined) return this.#cursor.refuse('this form of "for"', span.start);
    this.#cursor.at += name.length;
    this.#blanks();
    if (this.#reserved() !== 'in') this.#cursor.refuse('"for" without "in"', span.start);
    this.#cursor.at += 2;
    const words = this.#words();
    if (!this.#cursor.takes(';')) {
      if (this.#cursor.char !== '\n') this.#cursor.refuse('this form of "for"', span.start);
      this.#line();
    }
    this.#word('do');
    const body = this.#until('done');
    this.#word('done');
    return { type: 'for', name, words, body, redirects: [], ...span };
  }

  #anyWord(): WordNode | undefined {
    const word = readWord(this.#cursor, this.#inner);
    // Where the text of the here-document begins is not clear then.
    if (word && this.#pending.length > 0 && this.#cursor.text.slice(word.start, word.end).includes('\n'))
      this.#cursor.refuse('a word of several lines behind a here-document', word.start);
    return word;
  }

  #words(): WordNode[] {
    const words: WordNode[] = [];
    for (;;) {
      this.#blanks();
      const word = this.#anyWord();
      if (word === undefined) return words;
      words.push(word);
    }
  }

  #case(span: { start: number; end: number }): Compound {
    this.#blanks();
    const word = this.#anyWord();
    if (word === undefined) return this.#cursor.refuse('this form of "case"', span.start);
    this.#word('in');
    const clauses: { patterns: WordNode[]; body: Script }[] = [];
    for (;;) {
      this.#blanksAndLines();
      if (this.#reserved() === 'esac') break;
      clauses.push({ patterns: this.#patterns(), body: this.#statements(new Set(['esac'])) });
      if (this.#cursor.sees(';;&') || this.#cursor.sees(';&')) this.#cursor.refuse('a clause that goes on');
      if (!this.#cursor.takes(';;')) break;
    }
    this.#word('esac');
    return { type: 'case', word, clauses, redirects: [], ...span };
  }

  #patterns(): WordNode[] {
    this.#cursor.takes('(');
    const patterns: WordNode[] = [];
    do {
      this.#blanks();
      const pattern = this.#anyWord();
      if (pattern === undefined || this.#cursor.text.startsWith('<(', pattern.start))
        return this.#cursor.refuse('this pattern of "case"');
      patterns.push(pattern);
      this.#blanks();
    } while (this.#cursor.takes('|'));
    if (!this.#cursor.takes(')')) this.#cursor.refuse('this pattern of "case"');
    return patterns;
  }

  /** `[[ … ]]` with tests of files, of texts, and nothing that calculates. */
  #test(span: { start: number; end: number }): Compound {
    if (!/\s/.test(this.#cursor.char)) this.#cursor.refuse('this form of "[["', span.start);
    const words: WordNode[] = [];
    const refuse = (what: string): never => this.#cursor.refuse(`${what} in [[ … ]]`, span.start);
    const word = (): WordNode => {
      this.#blanks();
      const found = this.#anyWord();
      if (found === undefined || plain(found) === ']]') return refuse('this form');
      if (found.parts.some(({ type }) => type === 'process')) return refuse('this form');
      words.push(found);
      return found;
    };
    for (;;) {
      this.#blanksAndLines();
      while (this.#cursor.match(/![ \t]/y)) {
        this.#cursor.at++;
        this.#blanks();
      }
      const first = plain(word());
      if (first !== undefined && /^-[a-zA-Z]$/.test(first)) {
        if (!/^-[abcdefghknprstuwxzGLNOS]$/.test(first)) refuse(first);
        word();
      }
      this.#blanks();
      const operator = this.#cursor.match(/(?:==?|!=|-nt|-ot|-ef)(?=[ \t])/y)?.[0];
      if (operator !== undefined) {
        if (first !== undefined && /^-[a-zA-Z]$/.test(first)) refuse('this form');
        this.#cursor.at += operator.length;
        word();
        this.#blanks();
      }
      if (this.#cursor.match(/\]\](?=[\s;&|)]|$)/y)) {
        this.#cursor.at += 2;
        return { type: 'test', words, redirects: [], ...span };
      }
      if (!this.#cursor.takes('&&') && !this.#cursor.takes('||')) refuse('this form');
    }
  }

  #simple(): Node {
    const { at: start } = this.#cursor;
    const assignments: Assignment[] = [];
    const words: WordNode[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.#blanks();
      const redirect = this.#redirect();
      if (redirect) {
        redirects.push(redirect);
        continue;
      }
      const word = this.#anyWord();
      if (word === undefined) break;
      if (words.length === 0) {
        const assignment = assignmentOf(word, this.#cursor);
        if (assignment) {
          assignments.push(assignment);
          continue;
        }
      }
      this.#checkDescriptor(word);
      words.push(word);
    }
    if (this.#cursor.at === start) this.#cursor.refuse(`"${this.#cursor.char}" at this place`);
    return { type: 'simple', assignments, words, redirects, start, end: this.#cursor.at };
  }

  /** `{name}>file` opens a descriptor and sets a variable. */
  #checkDescriptor(word: WordNode): void {
    if (/[<>]/.test(this.#cursor.char) && this.#cursor.text[word.end - 1] === '}')
      this.#cursor.refuse('a redirection with a name', word.start);
  }

  #redirects(): Redirect[] {
    const found: Redirect[] = [];
    for (;;) {
      this.#blanks();
      const redirect = this.#redirect();
      if (redirect === undefined) return found;
      found.push(redirect);
    }
  }

  #redirect(): Redirect | undefined {
    const cursor = this.#cursor;
    const start = cursor.at;
    const [, digits = '', operator = ''] = cursor.match(/(\d*)(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||>|<)/y) ?? [];
    if (operator === '' || (operator === '<' && digits === '' && cursor.sees('<('))) return undefined;
    if (digits.length > 1 || (digits !== '' && operator.startsWith('&'))) cursor.refuse('an unusual redirection');
    cursor.at += digits.length + operator.length;
    if (cursor.char === '(' || (cursor.char === '&' && operator !== '>&'))
      cursor.refuse('an unusual redirection', start);
    const descriptor = digits === '' ? {} : { descriptor: Number(digits) };
    if (operator === '<<' || operator === '<<-') return this.#document(operator === '<<-', start, descriptor);
    if (operator === '>&' || operator === '<&') {
      const number = cursor.match(/[ \t]*(?:\d-?|-)(?=[\s;&|<>)]|$)/y)?.[0];
      if (number !== undefined) {
        cursor.at += number.length;
        return { type: 'duplicate', ...descriptor, start, end: cursor.at };
      }
      if (operator === '<&' || digits !== '') cursor.refuse('an unusual redirection', start);
    }
    this.#blanks();
    const target = this.#anyWord();
    if (target === undefined) return cursor.refuse('a redirection to nothing', start);
    // `>&$x` may be a number or a file.
    if (operator === '>&' && plain(target)?.match(/^[A-Za-z_./]/) == null)
      cursor.refuse('an unusual redirection', start);
    const span = { start, end: cursor.at };
    if (operator === '<<<') return { type: 'text', body: target, ...descriptor, ...span };
    return { type: REDIRECTS[operator] ?? 'write', target, ...descriptor, ...span };
  }

  #document(stripsTabs: boolean, start: number, descriptor: { descriptor?: number }): Redirect {
    this.#blanks();
    const found = this.#cursor.match(DELIMITER);
    if (found === null) return this.#cursor.refuse('the end word of a here-document', start);
    const [whole, single, double, bare] = found;
    this.#cursor.at += whole.length;
    const delimiter = single ?? double ?? bare ?? '';
    const redirect: { body: WordNode } & Redirect = {
      type: 'text',
      body: { parts: [], start, end: start },
      ...descriptor,
      start,
      end: this.#cursor.at,
    };
    const isQuoted = bare === undefined || whole.startsWith('\\');
    this.#pending.push({ delimiter, isQuoted, stripsTabs, fill: (body) => void (redirect.body = body) });
    return redirect;
  }

  /** Passes a new line, and reads the here-documents that begin behind it. */
  #line(): void {
    this.#cursor.at++;
    const pending = this.#pending.splice(0);
    for (const document of pending) this.#documentText(document);
  }

  #documentText({ delimiter, isQuoted, stripsTabs, fill }: Pending): void {
    const cursor = this.#cursor;
    const start = cursor.at;
    const parts = new Parts();
    parts.text('', true);
    for (;;) {
      if (stripsTabs) while (cursor.takes('\t'));
      const end = cursor.text.indexOf('\n', cursor.at);
      const lineEnd = end < 0 || end > cursor.end ? cursor.end : end;
      const line = cursor.text.slice(cursor.at, lineEnd);
      if (line === delimiter) {
        // The new line behind it stays: it ends whatever the here-document belongs to.
        cursor.at = Math.min(lineEnd + 1, cursor.end);
        break;
      }
      // A substitution ends the here-document for some versions of bash.
      if (lineEnd >= cursor.end || line.trim().startsWith(`${delimiter})`))
        cursor.refuse('a here-document without an end', start);
      if (isQuoted) {
        for (; cursor.at < lineEnd; cursor.at++) {
          checkLetter(cursor);
          parts.text(cursor.char, true);
        }
      } else while (cursor.at < lineEnd) readQuoted(cursor, this.#inner, parts, true);
      if (cursor.at !== lineEnd) {
        // A substitution went over several lines.
        if (stripsTabs) cursor.refuse('a substitution of several lines in a here-document', start);
        continue;
      }
      parts.text('\n', true);
      cursor.at++;
    }
    fill({ parts: parts.list(), start, end: cursor.at });
  }

  #blanks(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.char === ' ' || cursor.char === '\t') cursor.at++;
      else if (cursor.sees('\\\n') && /[\s]/.test(cursor.previous)) cursor.at += 2;
      else break;
    }
    if (cursor.char === '#' && (cursor.at === 0 || /[\s;&|()<>`]/.test(cursor.previous))) this.#comment();
  }

  #comment(): void {
    const cursor = this.#cursor;
    const start = cursor.at;
    while (!cursor.isDone && cursor.char !== '\n') {
      checkLetter(cursor);
      cursor.at++;
    }
    // Some versions of bash look for the closing bracket before they look for comments.
    if (this.#depth > 0 && /[()'"`\\]/.test(cursor.text.slice(start, cursor.at)))
      cursor.refuse('a comment with brackets or quotes inside of brackets', start);
  }

  #blanksAndLines(): void {
    for (;;) {
      this.#blanks();
      if (this.#cursor.char !== '\n') return;
      this.#line();
    }
  }

  /** The reserved word that stands here. */
  #reserved(): string | undefined {
    const word = this.#cursor.match(/(?:[a-z]+|[{}!]|\[\[)(?=[\s;&|<>()]|$)/y)?.[0];
    if (word === undefined) return this.#brokenWord();
    return RESERVED.has(word) ? word : undefined;
  }

  /** `do\` and the rest on the next line. */
  #brokenWord(): undefined {
    if (this.#cursor.match(/[a-z{}![\]]+\\\n/y)) this.#cursor.refuse('a line that goes on inside of a word');
    return undefined;
  }
}

const REDIRECTS: Readonly<Record<string, 'read' | 'write' | 'append' | 'both' | 'both-append' | 'read-write'>> = {
  '<': 'read',
  '<>': 'read-write',
  '>': 'write',
  '>|': 'write',
  '>>': 'append',
  '>&': 'both',
  '&>': 'both',
  '&>>': 'both-append',
};

/** The text of a word without quotes and expansions. */
export function plain({ parts }: WordNode): string | undefined {
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' && !only.quoted ? only.value : undefined;
}

function assignmentOf(word: WordNode, cursor: Cursor): Assignment | undefined {
  const [first, ...rest] = word.parts;
  if (first?.type !== 'text' || first.quoted) return undefined;
  if (/^[A-Za-z_]\w*(\[|\+=)/.test(first.value)) cursor.refuse('an assignment to a part of a variable', word.start);
  const [head] = ASSIGNMENT.exec(first.value) ?? [];
  if (head === undefined) return undefined;
  const value = first.value.slice(head.length);
  const parts = value === '' ? rest : [{ ...first, value }, ...rest];
  return {
    name: head.slice(0, -1),
    value: { parts, start: word.start + head.length, end: word.end },
    start: word.start,
    end: word.end,
  };
}
