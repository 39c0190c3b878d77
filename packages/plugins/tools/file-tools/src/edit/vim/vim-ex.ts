/** Commands that start with a colon. */
import type { Position } from './vim-buffer.ts';
import { VimError } from './vim-error.ts';
import { searchPattern } from './vim-motions.ts';
import { joinLines, operate } from './vim-operators.ts';
import { readPattern, type VimPattern } from './vim-pattern.ts';
import { storeRegister, type VimState } from './vim-state.ts';

/** What commands need of the editor around them. */
export interface ExHost {
  readonly state: VimState;
  /** Runs keys as `:normal` does: an unfinished insert ends. */
  normal(keys: string): void;
  /** Brings back the text as it was when the call began. */
  reload(): void;
}

interface Range {
  readonly first: number;
  readonly last: number;
  /** How many addresses were given. */
  readonly addressCount: number;
}

const COMMANDS =
  's d y m t co copy j j! pu pu! sort normal g v > < undo redo w wq x q up e! (a number alone goes to that line)';

/** Runs one command, given without its colon. */
export function runEx(host: ExHost, source: string): void {
  const reader = new ExReader(host.state, source.trim().replace(/^:+/, ''));
  const range = reader.range();
  const name = reader.name();
  const { buffer } = host.state;
  if (name === '' && reader.rest === '') {
    if (range.addressCount === 0) return;
    buffer.moveTo({ line: range.last, col: buffer.firstNonBlank(range.last) });
    return;
  }
  const command = commandOf(name);
  if (!command) throw new VimError(`":${source}" is not supported here; commands are: ${COMMANDS}.`);
  command(host, range, reader);
}

type Command = (host: ExHost, range: Range, reader: ExReader) => void;

function commandOf(name: string): Command | undefined {
  const [, word = '', bang] = /^([a-z&><]*)(!?)$/i.exec(name) ?? [];
  const fits = (full: string, least: number) => word.length >= least && full.startsWith(word);
  if (/^>+$/.test(word)) return shift('>', word.length);
  if (/^<+$/.test(word)) return shift('<', word.length);
  if (word === '') return undefined;
  if (fits('substitute', 1)) return substitute;
  if (fits('delete', 1)) return remove;
  if (fits('yank', 1)) return yank;
  if (fits('move', 1)) return move;
  if (word === 't' || fits('copy', 2)) return copy;
  if (fits('join', 1)) return (host, range, reader) => join(host, range, reader, !bang);
  if (fits('put', 2)) return (host, range, reader) => put(host, range, reader, bang === '!');
  if (fits('sort', 3)) return (host, range, reader) => sort(host, range, reader, bang === '!');
  if (fits('normal', 4)) return normal;
  if (fits('global', 1)) return (host, range, reader) => global(host, range, reader, bang !== '!');
  if (fits('vglobal', 1)) return (host, range, reader) => global(host, range, reader, false);
  if (fits('undo', 1)) return ({ state }) => void state.buffer.undo();
  if (fits('redo', 3)) return ({ state }) => void state.buffer.redo();
  if (fits('edit', 1) && bang) return (host) => host.reload();
  // The tool writes the file after the last step.
  if (
    [
      'w',
      'wr',
      'write',
      'up',
      'update',
      'wq',
      'x',
      'xit',
      'exit',
      'wa',
      'wqa',
      'xa',
      'q',
      'quit',
      'noh',
      'nohlsearch',
    ].includes(word)
  ) {
    return (_, range, reader) => {
      if (range.addressCount > 0 || reader.rest !== '')
        throw new VimError('writing a part or another file is not supported here.');
      if (word.startsWith('q') && bang)
        throw new VimError('to throw changes away use "u" or ":e!"; there is nothing to quit.');
    };
  }
  return undefined;
}

/** Reads a command from its start. */
class ExReader {
  readonly #state: VimState;
  rest: string;

  constructor(state: VimState, source: string) {
    this.#state = state;
    this.rest = source;
  }

  range(): Range {
    const { buffer } = this.#state;
    if (this.#eat(/^\s*%/)) return { first: 0, last: buffer.lastLine, addressCount: 2 };
    const here = buffer.cursor.line;
    const lines: number[] = [];
    let base = here;
    for (;;) {
      const line = this.#address(base);
      const separator = this.#eat(/^\s*([,;])/);
      if (line === undefined && !separator) break;
      lines.push(line ?? here);
      if (!separator) break;
      if (separator[1] === ';') base = line ?? base;
      if (!/^\s*[\d.$+\-/?'\\]/.test(this.rest)) {
        lines.push(here);
        break;
      }
    }
    const [first = here, last = first] = lines.slice(-2);
    for (const line of lines) {
      if (line < -1 || line > buffer.lastLine)
        throw new VimError(`line ${line + 1} does not exist (the file has ${buffer.lines.length}).`);
    }
    if (first > last) throw new VimError(`the range ${first + 1},${last + 1} is backwards.`);
    return { first, last, addressCount: Math.min(2, lines.length) };
  }

  /** An address as a line from 0; -1 is the place before the first line. */
  #address(base: number): number | undefined {
    const { buffer } = this.#state;
    let line: number | undefined;
    const number = this.#eat(/^\s*(\d+)/);
    if (number) line = Number(number[1]) - 1;
    else if (this.#eat(/^\s*\./)) line = base;
    else if (this.#eat(/^\s*\$/)) line = buffer.lastLine;
    else if (/^\s*'/.test(this.rest)) line = this.#mark();
    else {
      const delimiter = this.#eat(/^\s*([/?])/)?.[1];
      if (delimiter !== undefined) line = this.#search(delimiter, line ?? base);
    }
    for (;;) {
      const offset = this.#eat(/^\s*([+-])(\d*)/);
      if (!offset) break;
      line = (line ?? base) + (offset[1] === '+' ? 1 : -1) * (offset[2] === '' ? 1 : Number(offset[2]));
    }
    return line;
  }

  #mark(): number {
    const name = this.#eat(/^\s*'(.)/)?.[1] ?? '';
    const { lastVisual } = this.#state;
    if (!lastVisual || (name !== '<' && name !== '>')) throw new VimError(`the mark '${name} is not set.`);
    const lines = [lastVisual.from.line, lastVisual.to.line];
    return name === '<' ? Math.min(...lines) : Math.max(...lines);
  }

  #search(delimiter: string, base: number): number {
    const source = this.delimited(delimiter);
    const pattern = source === '' ? lastPattern(this.#state) : readPattern(source);
    const isForward = delimiter === '/';
    const from: Position = isForward ? { line: base, col: Infinity } : { line: base, col: 0 };
    const hit = searchPattern(this.#state.buffer, from, pattern, isForward);
    if (!hit) throw new VimError(`"${source}" is not found.`);
    return hit.line;
  }

  /** The text up to a delimiter, which is taken too; a backslash keeps one. */
  delimited(delimiter: string): string {
    let text = '';
    let at = 0;
    for (; at < this.rest.length && this.rest[at] !== delimiter; at++) {
      if (this.rest[at] === '\\' && at + 1 < this.rest.length) {
        if (this.rest[at + 1] !== delimiter || delimiter === '\\') text += '\\';
        else if (/[\^$.*[\]~&|+?(){}<>=@%]/.test(delimiter)) text += '\\';
        at++;
      }
      text += this.rest[at];
    }
    this.rest = this.rest.slice(at + 1);
    return text;
  }

  name(): string {
    return this.#eat(/^\s*(>+|<+|(?:sor|nor|no)[a-z]*!?|[sgv](?=[^a-z])|[a-z]+!?)/i)?.[1] ?? '';
  }

  argument(): string {
    const text = this.rest.trim();
    this.rest = '';
    return text;
  }

  /** A destination line for `:m` and `:t`. */
  destination(): number {
    this.rest = this.rest.trim();
    const line = this.#address(this.#state.buffer.cursor.line);
    if (line === undefined || this.rest.trim() !== '')
      throw new VimError('the command needs a line to go to, e.g. ":2m5" or ":2t$".');
    if (line < -1 || line > this.#state.buffer.lastLine) throw new VimError(`line ${line + 1} does not exist.`);
    return line;
  }

  #eat(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(this.rest);
    if (!match) return undefined;
    this.rest = this.rest.slice(match[0].length);
    return match;
  }
}

function lastPattern(state: VimState): VimPattern {
  if (!state.search) throw new VimError('there is no last search pattern.');
  return state.search.pattern;
}

function linesOf({ first, last }: Range): { first: number; last: number } {
  if (first < 0) throw new VimError('line 0 does not exist.');
  return { first, last };
}

/** `:d x 3`: a register, a count, both or none. */
function registerAndCount(
  range: Range,
  reader: ExReader,
  state: VimState,
): { first: number; last: number; register: string } {
  const text = reader.argument();
  const match = /^([a-zA-Z"_]?)\s*(\d*)$/.exec(text);
  if (!match) throw new VimError(`"${text}" is not understood after this command.`);
  const { first, last } = linesOf(range);
  const count = Number(match[2] ?? '0');
  if (count === 0) return { first, last, register: match[1] || '"' };
  return { first: last, last: Math.min(last + count - 1, state.buffer.lastLine), register: match[1] || '"' };
}

function lineRegion(first: number, last: number) {
  return { start: { line: first, col: 0 }, end: { line: last, col: 0 }, isLinewise: true };
}

function remove({ state }: ExHost, range: Range, reader: ExReader): void {
  const { first, last, register } = registerAndCount(range, reader, state);
  operate(state, 'd', lineRegion(first, last), { register });
}

function yank({ state }: ExHost, range: Range, reader: ExReader): void {
  const { first, last, register } = registerAndCount(range, reader, state);
  storeRegister(state, register, { lines: state.buffer.lines.slice(first, last + 1), isLinewise: true }, true);
}

function move({ state: { buffer } }: ExHost, range: Range, reader: ExReader): void {
  const { first, last } = linesOf(range);
  const to = reader.destination();
  if (to >= first && to < last) throw new VimError('lines cannot be moved into themselves.');
  buffer.moveLines(first, last, to);
  const end = to >= last ? to : to + last - first + 1;
  buffer.moveTo({ line: end, col: buffer.firstNonBlank(end) });
}

function copy({ state: { buffer } }: ExHost, range: Range, reader: ExReader): void {
  const { first, last } = linesOf(range);
  const to = reader.destination();
  const lines = buffer.lines.slice(first, last + 1);
  buffer.insertLines(to + 1, lines);
  const end = to + lines.length;
  buffer.moveTo({ line: end, col: buffer.firstNonBlank(end) });
}

function join({ state }: ExHost, range: Range, reader: ExReader, withBlank: boolean): void {
  if (reader.argument() !== '') throw new VimError('":j" takes a range here, not a count.');
  const { first, last } = linesOf(range);
  const from = range.addressCount > 1 ? first : last;
  joinLines(state, from, range.addressCount > 1 ? last - first + 1 : 2, withBlank);
  state.buffer.moveTo({ line: from, col: state.buffer.firstNonBlank(from) });
}

function put({ state }: ExHost, range: Range, reader: ExReader, isBefore: boolean): void {
  const name = reader.argument() || '"';
  const register = state.registers.get(name.toLowerCase());
  if (!register) throw new VimError(`register "${name}" is empty.`);
  const { buffer } = state;
  const at = isBefore ? Math.max(0, range.last) : range.last + 1;
  buffer.insertLines(at, register.lines);
  const end = at + register.lines.length - 1;
  buffer.moveTo({ line: end, col: buffer.firstNonBlank(end) });
}

function shift(operator: '>' | '<', times: number): Command {
  return ({ state }, range, reader) => {
    if (reader.argument() !== '') throw new VimError(`":${operator}" takes a range here, not a count.`);
    const { first, last } = linesOf(range);
    operate(state, operator, lineRegion(first, last), { times });
    state.buffer.moveTo({ line: last, col: state.buffer.firstNonBlank(last) });
  };
}

function sort({ state: { buffer } }: ExHost, range: Range, reader: ExReader, isReversed: boolean): void {
  const flags = reader.argument();
  if (/[^iun ]/.test(flags)) throw new VimError('":sort" takes the flags i, n and u here.');
  const whole = range.addressCount === 0 ? { first: 0, last: buffer.lastLine } : linesOf(range);
  const fold = (text: string) => (flags.includes('i') ? text.toLowerCase() : text);
  const numberIn = (text: string) => Number(/-?\d+/.exec(text)?.[0] ?? -Infinity);
  const compare = (a: string, b: string) =>
    flags.includes('n') ? numberIn(a) - numberIn(b) || 0 : Buffer.compare(Buffer.from(fold(a)), Buffer.from(fold(b)));
  const sorted = buffer.lines.slice(whole.first, whole.last + 1);
  if (sorted.length < 2) return;
  // Equal lines keep their order either way.
  sorted.sort((a, b) => (isReversed ? compare(b, a) : compare(a, b)));
  const kept = flags.includes('u')
    ? sorted.filter((line, at) => at === 0 || compare(sorted[at - 1] ?? '', line) !== 0)
    : sorted;
  buffer.splice(whole.first, whole.last - whole.first + 1, kept);
  buffer.moveTo({ line: whole.first, col: buffer.firstNonBlank(whole.first) });
}

function normal(host: ExHost, range: Range, reader: ExReader): void {
  const keys = reader.rest.replace(/^ /, '');
  reader.rest = '';
  if (range.addressCount === 0) return host.normal(keys);
  const { first, last } = linesOf(range);
  for (let line = first; line <= last; line++) {
    if (line > host.state.buffer.lastLine) break;
    host.state.buffer.moveTo({ line, col: 0 });
    host.normal(keys);
  }
}

/** Lines are marked first, so that what happens to some does not change which are meant. */
function global(host: ExHost, range: Range, reader: ExReader, isMatch: boolean): void {
  const { buffer } = host.state;
  const delimiter = reader.rest[0] ?? '';
  if (delimiter === '' || /[\w\s"|\\]/.test(delimiter)) throw new VimError('":g" needs a pattern, e.g. ":g/TODO/d".');
  reader.rest = reader.rest.slice(1);
  const source = reader.delimited(delimiter);
  const pattern = source === '' ? lastPattern(host.state) : readPattern(source);
  if (pattern.spansLines) throw new VimError('":g" looks at single lines here.');
  host.state.search = { pattern, source, isForward: true };
  const command = reader.rest.trim();
  reader.rest = '';
  if (/^(?:g|v|u|redo)/.test(command) || command === '')
    throw new VimError('":g" needs a command such as d, s///, m, t, j or normal.');
  const whole = range.addressCount === 0 ? { first: 0, last: buffer.lastLine } : linesOf(range);
  const marked: number[] = [];
  for (let line = whole.first; line <= whole.last; line++) {
    pattern.regex.lastIndex = 0;
    if (pattern.regex.test(buffer.line(line)) === isMatch) marked.push(buffer.idOf(line));
  }
  if (marked.length === 0) throw new VimError(`"${source}" is not found.`);
  for (const id of marked) {
    const line = buffer.lineOf(id);
    if (line < 0) continue;
    buffer.moveTo({ line, col: 0 });
    runEx(host, command);
  }
}

function substitute({ state }: ExHost, range: Range, reader: ExReader): void {
  const delimiter = reader.rest[0] ?? '';
  if (delimiter === '' || /[\w\s"|\\]/.test(delimiter))
    throw new VimError('repeating a substitution is not supported; write ":s/old/new/".');
  reader.rest = reader.rest.slice(1);
  const source = reader.delimited(delimiter);
  const template = reader.delimited(delimiter);
  const flags = /^\s*([giIe]*)\s*(\d*)$/.exec(reader.rest);
  if (!flags) throw new VimError(`the flags "${reader.rest}" are not supported; there are g, i, I and e.`);
  reader.rest = '';
  const letters = flags[1] ?? '';
  const ignoreCase = letters.includes('i') && !letters.includes('I');
  const pattern = source === '' ? lastPattern(state) : readPattern(source, { ignoreCase });
  state.search = { pattern, source, isForward: true };
  const { first, last } = linesOf(range);
  const count = Number(flags[2] || '0');
  const lines = count > 0 ? { first: last, last: Math.min(last + count - 1, state.buffer.lastLine) } : { first, last };
  const done = substituteLines(state, lines, pattern, template, letters.includes('g'));
  if (!done && !letters.includes('e')) throw new VimError(`"${source}" is not found.`);
}

function substituteLines(
  { buffer }: VimState,
  { first, last }: { first: number; last: number },
  { regex }: VimPattern,
  template: string,
  isGlobal: boolean,
): boolean {
  const text = buffer.lines.join('\n');
  let from = 0;
  for (let line = 0; line < first; line++) from += buffer.line(line).length + 1;
  let until = from;
  for (let line = first; line <= last; line++) until += buffer.line(line).length + 1;
  const parts: string[] = [text.slice(0, from)];
  let [copied, at, lastStart, lastEnd] = [from, from, -1, -1];
  while (at < until) {
    regex.lastIndex = at;
    const match = regex.exec(text);
    if (!match || match.index >= until) break;
    // Right behind a match there is no empty one.
    if (match[0] === '' && match.index === lastEnd) {
      const isLineOver = match.index + 1 >= text.length || text[match.index] === '\n' || text[match.index + 1] === '\n';
      const lineEnd = text.indexOf('\n', match.index);
      at = isLineOver ? (lineEnd < 0 ? until : lineEnd + 1) : match.index + 1;
      continue;
    }
    parts.push(text.slice(copied, match.index), expandTemplate(template, match));
    lastStart = parts.join('').length;
    copied = match.index + match[0].length;
    lastEnd = match[0] === '' ? -1 : copied;
    const next = match[0] === '' ? copied + 1 : copied;
    const lineEnd = text.indexOf('\n', copied);
    const isAtEnd = next >= text.length || text[next] === '\n' || text[copied] === '\n';
    at = isGlobal && !isAtEnd ? next : lineEnd < 0 ? until : lineEnd + 1;
  }
  if (lastStart < 0) return false;
  const changed = parts.join('');
  // Only the lines that took part are replaced: the others stay the lines they are.
  const tail = text.indexOf('\n', Math.max(copied, until - 1));
  const whole = changed.slice(from) + text.slice(copied, tail < 0 ? text.length : tail);
  const count = text.slice(from, tail < 0 ? text.length : tail).split('\n').length;
  buffer.splice(first, count, whole.split('\n'));
  const line = changed.slice(0, lastStart).split('\n').length - 1;
  buffer.moveTo({ line, col: buffer.firstNonBlank(Math.min(line, buffer.lastLine)) });
  return true;
}

/** `&`, `\0` to `\9`, `\r`, `\t`, and `\u \l \U \L \E`. */
function expandTemplate(template: string, match: RegExpExecArray): string {
  let text = '';
  let once: 'u' | 'l' | undefined;
  let all: 'U' | 'L' | undefined;
  const add = (piece: string): void => {
    let shown = all === 'U' ? piece.toUpperCase() : all === 'L' ? piece.toLowerCase() : piece;
    if (once && shown !== '') {
      const [first = ''] = shown;
      shown = (once === 'u' ? first.toUpperCase() : first.toLowerCase()) + shown.slice(first.length);
      once = undefined;
    }
    text += shown;
  };
  for (let at = 0; at < template.length; at++) {
    const char = template[at] ?? '';
    if (char === '&') add(match[0]);
    else if (char === '~') throw new VimError('"~" means the last replacement, which is not supported; write "\\~".');
    else if (char !== '\\') add(char);
    else {
      const name = template[++at] ?? '\\';
      if (/\d/.test(name)) add(match[Number(name)] ?? '');
      else if (name === 'r') add('\n');
      else if (name === 't') add('\t');
      else if (name === 'n') throw new VimError('"\\n" puts a NUL there; for a new line write "\\r".');
      else if (name === 'u' || name === 'l') once = name;
      else if (name === 'U' || name === 'L') all = name;
      else if (name === 'E' || name === 'e') all = undefined;
      else if (name === '=') throw new VimError('expressions ("\\=") are not supported.');
      else add(name);
    }
  }
  return text;
}
