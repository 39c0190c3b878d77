/** Reads words: quotes, variables, substitutions. What bash could read in another way is refused. */
import { Cursor } from './cursor.ts';
import type { Cut } from './cut.ts';
import type { Part, Script, WordNode } from './syntax.ts';

/** Reads the script of a substitution up to its closing bracket; handed in, because scripts contain words. */
export type ReadScript = (cursor: Cursor, end: ')' | undefined) => Script;

/** Letters that end a word. */
const ENDS = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')', '']);
/** Behind these, a lone dollar is only a dollar. */
const AFTER_LONE_DOLLAR = new Set([' ', '\t', '\n', '', ')', '|', ';', '/', '.', ',', ']', '&', '%']);
const MORE_IN_QUOTES = new Set(['"', "'", '\\', '=', ':', '+', '<', '>']);
const NAME = /[A-Za-z_]\w*/y;
const ANSI: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\', "'": "'", '"': '"' };

/** Blanks to people that are none to bash, and letters that nobody sees. */
const ODD_LETTERS = /[\u0085\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]/u;

/** Reads a word; undefined where none begins. */
export function readWord(cursor: Cursor, script: ReadScript): WordNode | undefined {
  const start = cursor.at;
  const parts = new Parts();
  if (cursor.sees('<(')) {
    cursor.at += 2;
    const inner = script(cursor, ')');
    if (!ENDS.has(cursor.char) || cursor.char === '(') cursor.refuse('a process substitution inside of a word', start);
    return { parts: [{ type: 'process', script: inner }], start, end: cursor.at };
  }
  if (ENDS.has(cursor.char)) return undefined;
  while (!ENDS.has(cursor.char)) readPiece(cursor, script, parts);
  if (cursor.char === '(') cursor.refuse('a bracket inside of a word (a function, an array or a pattern)', start);
  if (parts.hasLoneDollar && parts.list().some(({ type }) => type !== 'text'))
    cursor.refuse('a dollar beside a variable', start);
  return { parts: parts.list(), start, end: cursor.at };
}

function readPiece(cursor: Cursor, script: ReadScript, parts: Parts): void {
  const { char, at } = cursor;
  switch (char) {
    case "'":
      return readSingle(cursor, parts);
    case '"':
      cursor.at++;
      parts.text('', true);
      while (!cursor.takes('"')) {
        if (cursor.isDone) cursor.refuse('a quote that is not closed', at);
        readQuoted(cursor, script, parts);
      }
      return;
    case '\\': {
      const next = cursor.text[at + 1] ?? '';
      if (at + 1 >= cursor.end || !/[\u0020-\u007e]/.test(next))
        cursor.refuse(next === '\n' ? 'a line that goes on inside of a word' : 'a backslash before an unusual letter');
      cursor.at += 2;
      return parts.text(next, true);
    }
    case '$':
      return readDollar(cursor, script, parts, false);
    case '`':
      return readBackticks(cursor, script, parts, false);
    default:
      checkLetter(cursor);
      cursor.at++;
      return parts.text(char, false);
  }
}

/** Letters that are the same to everybody. */
export function checkLetter(cursor: Cursor): void {
  const code = cursor.char.codePointAt(0) ?? 0;
  if ((code < 0x20 && code !== 0x09 && code !== 0x0a) || code === 0x7f) cursor.refuse('a control character');
  if (code > 0x7f && ODD_LETTERS.test(cursor.char)) cursor.refuse('an invisible letter or an unusual blank');
}

function readSingle(cursor: Cursor, parts: Parts): void {
  const start = cursor.at++;
  parts.text('', true);
  while (!cursor.takes("'")) {
    if (cursor.isDone) cursor.refuse('a quote that is not closed', start);
    checkLetter(cursor);
    parts.text(cursor.char, true);
    cursor.at++;
  }
}

/** One piece inside of double quotes, or of a here-document (where a double quote is only a letter). */
export function readQuoted(cursor: Cursor, script: ReadScript, parts: Parts, isDocument = false): void {
  const { char, at } = cursor;
  if (char === '$') return readDollar(cursor, script, parts, true, isDocument);
  if (char === '`') return readBackticks(cursor, script, parts, true);
  if (char === '\\') {
    const next = at + 1 < cursor.end ? (cursor.text[at + 1] ?? '') : '';
    if (next === '\n') {
      // Bash joins the lines before it looks for names and ends of here-documents.
      if (isDocument || parts.endsWithName) cursor.refuse('a line that goes on inside of a word');
      cursor.at += 2;
      return;
    }
    const isEscape = next === '$' || next === '`' || next === '\\' || (next === '"' && !isDocument);
    parts.text(isEscape ? next : '\\', true);
    cursor.at += isEscape ? 2 : 1;
    return;
  }
  checkLetter(cursor);
  parts.text(char, true);
  cursor.at++;
}

function readDollar(cursor: Cursor, script: ReadScript, parts: Parts, quoted: boolean, isDocument = false): void {
  const start = cursor.at;
  if (cursor.sees('$((')) return readNumber(cursor, parts, quoted);
  if (cursor.takes('$(')) {
    parts.add({ type: 'output', script: script(cursor, ')'), quoted });
    return;
  }
  if (cursor.sees('${')) return readBraced(cursor, script, parts, quoted);
  if (cursor.sees("$'") && !quoted) return readAnsi(cursor, parts);
  if (cursor.sees('$"') && !quoted) cursor.refuse('a text for translation ($"…")', start);
  if (cursor.sees('$[')) cursor.refuse('arithmetic', start);
  cursor.at++;
  const name = cursor.match(NAME)?.[0];
  if (name !== undefined) {
    cursor.at += name.length;
    if (cursor.char === '[' && !quoted) cursor.refuse('a variable before a bracket', start);
    return parts.add({ type: 'variable', name, quoted, braced: false });
  }
  const { char } = cursor;
  if (/^[?#$]$/.test(char)) {
    cursor.at++;
    return parts.add({ type: 'number', quoted, names: [] });
  }
  if (/^[0-9@*!_-]$/.test(char)) {
    cursor.at++;
    return parts.add({ type: 'variable', name: char, quoted, braced: false });
  }
  const isLone = AFTER_LONE_DOLLAR.has(char) || (quoted && (MORE_IN_QUOTES.has(char) || (isDocument && char === '"')));
  if (!isLone) cursor.refuse('a dollar before an unusual letter', start);
  // Bash does not split a word that holds such a dollar without quotes.
  parts.text('$', true);
  if (!quoted) parts.hasLoneDollar = true;
}

/** `${name}` and `${name:-word}`. */
function readBraced(cursor: Cursor, script: ReadScript, parts: Parts, quoted: boolean): void {
  const start = cursor.at;
  cursor.at += 2;
  if (cursor.match(/#[A-Za-z_]\w*\}/y)) {
    cursor.at = cursor.text.indexOf('}', cursor.at) + 1;
    return parts.add({ type: 'number', quoted, names: [] });
  }
  const name = cursor.match(NAME)?.[0] ?? cursor.match(/[0-9]/y)?.[0];
  if (name === undefined) return cursor.refuse('an unusual variable', start);
  cursor.at += name.length;
  if (cursor.takes('}')) return parts.add({ type: 'variable', name, quoted, braced: true });
  const cut = cursor.match(/(##?|%%?)([\w.*?@:+,=-][\w.*?@:+,=/-]*|\/[\w.*?@:+,=-]*)\}/y);
  if (cut) {
    cursor.at += cut[0].length;
    const [, operator, pattern = ''] = cut;
    return parts.add({
      type: 'variable',
      name,
      quoted,
      braced: true,
      cut: { operator: operator as Cut['operator'], pattern },
    });
  }
  if (!cursor.takes(':-')) {
    cursor.at = Math.max(cursor.at, cursor.text.indexOf('}', cursor.at) + 1);
    return cursor.refuse('a variable with an operator', start);
  }
  const inner = new Parts();
  while (!cursor.takes('}')) {
    // Quotes inside of this follow rules of their own.
    if (cursor.isDone || /["'\\`{\n]/.test(cursor.char)) cursor.refuse('an unusual default of a variable', start);
    if (quoted) readQuoted(cursor, script, inner);
    else if (/[\s<>()&;|~*?[]/.test(cursor.char)) cursor.refuse('an unusual default of a variable', start);
    else readPiece(cursor, script, inner);
  }
  parts.add({ type: 'variable', name, quoted, braced: true, fallback: inner.list() });
}

/** `$((1 + 2))`. */
function readNumber(cursor: Cursor, parts: Parts, quoted: boolean): void {
  const start = cursor.at++;
  parts.add({ type: 'number', quoted, names: readArithmetic(cursor, start) });
}

/** `((…))` without assignments: the names that it uses. */
export function readArithmetic(cursor: Cursor, start: number): readonly string[] {
  const found = cursor.match(/\(\(([ \w+*/%()<>=!&|-]*)\)\)/y);
  const inner = found?.[1] ?? '';
  const rest = inner.replace(/[<>=!]=/g, '').replace(/ /g, '');
  let depth = 0;
  for (const char of inner) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (depth < 0) break;
  }
  if (found === null || depth !== 0 || inner.trim() === '' || /=|\+\+|--|<<|>>|[A-Za-z_]\w*\(/.test(rest)) {
    cursor.at = Math.max(cursor.at, cursor.text.indexOf('))', cursor.at) + 2);
    return cursor.refuse('arithmetic', start);
  }
  cursor.at += found[0].length;
  return inner.match(/\b[A-Za-z_]\w*/g) ?? [];
}

/** `$'…'`, with the escapes that everybody knows. */
function readAnsi(cursor: Cursor, parts: Parts): void {
  const start = cursor.at;
  cursor.at += 2;
  parts.text('', true);
  while (!cursor.takes("'")) {
    if (cursor.isDone) cursor.refuse('a quote that is not closed', start);
    if (cursor.takes('\\')) {
      const letter = ANSI[cursor.char];
      if (letter === undefined) return cursor.refuse("an unusual escape in $'…'", start);
      parts.text(letter, true);
    } else {
      checkLetter(cursor);
      parts.text(cursor.char, true);
    }
    cursor.at++;
  }
}

function readBackticks(cursor: Cursor, script: ReadScript, parts: Parts, quoted: boolean): void {
  const start = cursor.at++;
  const end = cursor.text.indexOf('`', cursor.at);
  if (end < 0 || end >= cursor.end) cursor.refuse('backticks that are not closed', start);
  const inner = cursor.text.slice(cursor.at, end);
  if (/[\\"'#]/.test(inner) || inner.includes('<<')) cursor.refuse('quotes or backslashes between backticks', start);
  const part = new Cursor(cursor.text, cursor.at, end);
  parts.add({ type: 'output', script: script(part, undefined), quoted });
  cursor.at = end + 1;
}

/** Collects the parts of a word; literal letters become one text. */
export class Parts {
  readonly #parts: Part[] = [];

  text(value: string, quoted: boolean): void {
    const last = this.#parts.at(-1);
    if (last?.type === 'text' && last.quoted === quoted) {
      this.#parts[this.#parts.length - 1] = { ...last, value: last.value + value };
    } else this.#parts.push({ type: 'text', value, quoted });
  }

  add(part: Part): void {
    this.#parts.push(part);
  }

  /** A dollar that begins nothing stands there without quotes. */
  hasLoneDollar = false;

  /** Whether a name stands last that the next letters could belong to. */
  get endsWithName(): boolean {
    const last = this.#parts.at(-1);
    return last?.type === 'variable' && !last.braced;
  }

  list(): readonly Part[] {
    return this.#parts;
  }
}
