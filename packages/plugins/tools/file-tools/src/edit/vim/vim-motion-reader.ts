/** Keys of motions, and where they lead. */
import { counted } from '@tenon/wording';
import { VimError } from './vim-error.ts';
import * as motions from './vim-motions.ts';
import { readPattern } from './vim-pattern.ts';
import type { VimState } from './vim-state.ts';

/** Reads what follows the first key of a motion, and works out where it leads. */
export class MotionReader {
  readonly #state: VimState;
  readonly #next: () => string;
  /** The last motion keeps the column that `j` and `k` aim at. */
  keepsColumn = false;
  /** An operator waits for the motion, which may then pass the last character of a line. */
  isForOperator = false;

  constructor(state: VimState, next: () => string) {
    this.#state = state;
    this.#next = next;
  }

  /** Where a motion leads from the cursor. */
  read(key: string, count: number | undefined): motions.Motion {
    const { buffer } = this.#state;
    const { cursor } = buffer;
    const times = count ?? 1;
    this.keepsColumn = false;
    const atLine = (line: number): motions.Motion => {
      if (line < 0 || line > buffer.lastLine)
        throw new VimError(`"${key}" leads out of the file (it has ${counted(buffer.lines.length, 'line')}).`);
      return { to: { line, col: buffer.firstNonBlank(line) }, kind: 'line' };
    };
    switch (key) {
      case 'h':
      case '<BS>':
      case '<Left>': {
        let { col } = cursor;
        for (let left = times; left > 0; left--) col = buffer.left({ line: cursor.line, col });
        if (cursor.col === 0) throw new VimError('"h" at the start of a line leads nowhere.');
        return { to: { line: cursor.line, col }, kind: 'exclusive' };
      }
      case 'l':
      case ' ':
      case '<Right>': {
        let { col } = cursor;
        const end = buffer.line().length;
        if (!this.isForOperator && cursor.col >= buffer.lastCol(cursor.line)) {
          throw new VimError('"l" at the end of a line leads nowhere.');
        }
        for (let left = times; left > 0 && col < end; left--) col = buffer.right({ line: cursor.line, col });
        if (!this.isForOperator) col = Math.min(col, buffer.lastCol(cursor.line));
        return { to: { line: cursor.line, col }, kind: 'exclusive' };
      }
      case 'j':
      case '<Down>':
      case 'k':
      case '<Up>': {
        const line = cursor.line + (key === 'j' || key === '<Down>' ? times : -times);
        if (line < 0 || line > buffer.lastLine)
          throw new VimError(`"${times > 1 ? times : ''}${key}" leads out of the file.`);
        this.#state.wantedCol ??= buffer.cellOf(cursor);
        this.keepsColumn = true;
        return { to: { line, col: buffer.colAt(line, this.#state.wantedCol) }, kind: 'line' };
      }
      case '0':
      case '<Home>':
        return { to: { line: cursor.line, col: 0 }, kind: 'exclusive' };
      case '^':
        return { to: { line: cursor.line, col: buffer.firstNonBlank(cursor.line) }, kind: 'exclusive' };
      case '$':
      case '<End>': {
        const line = cursor.line + times - 1;
        if (line > buffer.lastLine) throw new VimError(`"${times}$" leads out of the file.`);
        this.#state.wantedCol = Infinity;
        this.keepsColumn = true;
        return { to: { line, col: buffer.lastCol(line) }, kind: 'inclusive' };
      }
      case '+':
      case '<CR>':
        return atLine(cursor.line + times);
      case '-':
        return atLine(cursor.line - times);
      case '_':
        return atLine(cursor.line + times - 1);
      case 'G':
        return atLine(Math.min(count ?? Infinity, buffer.lines.length) - 1);
      case 'gg':
        return atLine(Math.min(times, buffer.lines.length) - 1);
      case '|':
        return { to: { line: cursor.line, col: Math.min(times - 1, buffer.line().length) }, kind: 'exclusive' };
      case 'w':
      case 'W':
        return motions.wordForward(buffer, cursor, times, key === 'W');
      case 'b':
      case 'B':
        return motions.wordBack(buffer, cursor, times, key === 'B');
      case 'e':
      case 'E':
        return motions.wordEnd(buffer, cursor, times, key === 'E');
      case 'ge':
      case 'gE':
        return motions.wordEndBack(buffer, cursor, times, key === 'gE');
      case 'f':
      case 'F':
      case 't':
      case 'T':
        this.#state.charSearch = { key, char: this.#next() };
        return motions.findChar(buffer, cursor, this.#state.charSearch, times, false);
      case ';':
      case ',':
        return this.#repeatCharSearch(key === ',', times);
      case '{':
      case '}':
        return motions.paragraph(buffer, cursor, times, key === '}');
      case '%':
        if (count !== undefined) throw new VimError('a count before "%" is not supported.');
        return motions.matchingBracket(buffer, cursor);
      case '/':
      case '?':
        return this.#search(key === '/', times);
      case 'n':
      case 'N':
        return this.#searchAgain(key === 'N', times);
      case '*':
      case '#':
        return this.#searchWord(key === '*', times);
      default:
        throw new VimError(`the key "${key}" is not supported here.`);
    }
  }

  #repeatCharSearch(isReverse: boolean, times: number): motions.Motion {
    const { charSearch, buffer } = this.#state;
    if (!charSearch) throw new VimError('";" and "," repeat f, F, t or T; there was none.');
    const reversed = { f: 'F', F: 'f', t: 'T', T: 't' } as const;
    const search = isReverse ? { ...charSearch, key: reversed[charSearch.key] } : charSearch;
    return motions.findChar(buffer, buffer.cursor, search, times, true);
  }

  #search(isForward: boolean, times: number): motions.Motion {
    let source = '';
    for (let key = this.#next(); key !== '<CR>'; key = this.#next()) source += key;
    const delimiter = isForward ? '/' : '?';
    const end = source.search(isForward ? /(?<!\\)\// : /(?<!\\)\?/);
    if (end >= 0) {
      if (end < source.length - 1)
        throw new VimError(
          `an offset after the second "${delimiter}" is not supported; escape a literal one as "\\${delimiter}".`,
        );
      source = source.slice(0, end);
    }
    if (source !== '') {
      const plain = source.replaceAll(`\\${delimiter}`, delimiter);
      this.#state.search = { pattern: readPattern(plain), source: plain, isForward };
    } else if (this.#state.search) this.#state.search = { ...this.#state.search, isForward };
    return this.#searchAgain(false, times);
  }

  #searchAgain(isReverse: boolean, times: number): motions.Motion {
    const { search, buffer } = this.#state;
    if (!search) throw new VimError('there is no last search pattern.');
    let to = buffer.cursor;
    for (let left = times; left > 0; left--) {
      const target = motions.searchPattern(buffer, to, search.pattern, search.isForward !== isReverse);
      if (!target) throw new VimError(`"${search.source}" is not found.`);
      to = target;
    }
    return { to, kind: 'exclusive' };
  }

  #searchWord(isForward: boolean, times: number): motions.Motion {
    const { buffer } = this.#state;
    const text = buffer.line();
    const words = [...text.matchAll(/[0-9A-Za-z_\u00c0-\u00ff]+/g)];
    const word = words.find((candidate) => candidate.index + candidate[0].length > buffer.cursor.col);
    if (!word) throw new VimError(`line ${buffer.cursor.line + 1} has no word at or after the cursor.`);
    const source = `\\<${word[0]}\\>`;
    this.#state.search = { pattern: readPattern(source), source, isForward };
    if (word.index < buffer.cursor.col || isForward) buffer.cursor = { line: buffer.cursor.line, col: word.index };
    return this.#searchAgain(false, times);
  }
}
