/** A headless vim: keys go in, the text changes. What it does not know it refuses by name, and never guesses. */
import { deleteChars, putOver, replaceChars, replaceSelection, swapCase, typeKey } from './vim-characters.ts';
import { VimError } from './vim-error.ts';
import { runEx } from './vim-ex.ts';
import { readKeys } from './vim-keys.ts';
import { MotionReader } from './vim-motion-reader.ts';
import type { Motion } from './vim-motions.ts';
import { findObject } from './vim-objects.ts';
import { addToNumber, joinLines, operate, type Operator, putRegister, type Region } from './vim-operators.ts';
import { maybeLinewise, regionOf, selection, type Visual, wholeLines, wordEndFrom } from './vim-regions.ts';
import { storeRegister, type VimState } from './vim-state.ts';

/** The modes there are. */
export type VimMode = 'NORMAL' | 'INSERT' | 'REPLACE' | 'VISUAL' | 'VISUAL LINE';

const OPERATORS = new Set(['d', 'c', 'y', '>', '<']);
const MAX_COUNT = 100_000;

interface Insertion {
  readonly start: ReturnType<VimState['buffer']['checkpoint']>;
  /** The text is typed this often; for `o` each time on a new line. */
  readonly times: number;
  readonly onNewLines: boolean;
  readonly typed: string[];
  /** What replace mode has overwritten. */
  readonly replaces: boolean;
}

/** Runs keys on a state. */
export class VimEngine {
  readonly #state: VimState;
  readonly #motions: MotionReader;
  readonly #original: readonly string[];
  #keys: readonly string[] = [];
  #at = 0;
  #visual: Visual | undefined;
  #insertion: Insertion | undefined;
  /** Where the current command began, for `.`; undefined while keys are replayed. */
  #changeKeys: string[] | undefined;
  #isReplaying = false;
  #depth = 0;

  constructor(state: VimState) {
    this.#state = state;
    this.#motions = new MotionReader(state, () => this.#next());
    this.#original = [...state.buffer.lines];
  }

  get mode(): VimMode {
    if (this.#insertion) return this.#insertion.replaces ? 'REPLACE' : 'INSERT';
    if (this.#visual) return this.#visual.isLinewise ? 'VISUAL LINE' : 'VISUAL';
    return 'NORMAL';
  }

  /** Takes keys; an unfinished command is an error, an open insert is not. */
  run(keys: readonly string[]): void {
    if (++this.#depth > 20) throw new VimError('commands are nested too deeply.');
    const outer = { keys: this.#keys, at: this.#at };
    this.#keys = keys;
    this.#at = 0;
    try {
      while (this.#at < this.#keys.length) {
        if (this.#insertion) this.#typeKey(this.#next());
        else this.#command();
      }
    } finally {
      this.#keys = outer.keys;
      this.#at = outer.at;
      this.#depth--;
    }
  }

  /** Back to normal mode, as after `<Esc>`. */
  escape(): void {
    if (this.#insertion) this.#endInsertion();
    this.#endVisual();
  }

  #next(): string {
    const key = this.#keys[this.#at++];
    if (key === undefined)
      throw new VimError(`the keys end in the middle of a command: "${this.#keys.join('').slice(-20)}".`);
    return key;
  }

  #count(): number | undefined {
    let digits = '';
    while (/^[1-9]$/.test(this.#keys[this.#at] ?? '') || (digits !== '' && this.#keys[this.#at] === '0'))
      digits += this.#next();
    if (digits === '') return undefined;
    const count = Number(digits);
    if (count > MAX_COUNT) throw new VimError(`the count ${digits} is too large.`);
    return count;
  }

  #command(): void {
    const start = this.#at;
    let register = '"';
    let count = this.#count();
    if (this.#keys[this.#at] === '"') {
      this.#next();
      register = this.#next();
      if (!/[a-zA-Z0-9"_]/.test(register)) throw new VimError(`the register "${register}" is not supported.`);
      count = this.#count() ?? count;
    }
    const bare = this.#at;
    this.#innerCount = undefined;
    this.#motions.isForOperator = false;
    const key = this.#next();
    const before = this.#state.buffer.checkpoint();
    this.#commandStart = undefined;
    const wasVisual = this.#visual !== undefined;
    if (wasVisual) this.#visualCommand(key, count, register);
    else this.#normalCommand(key, count, register);
    const isChange =
      !wasVisual && CHANGES.has(key === 'g' || key === '"' ? this.#keys.slice(bare, bare + 2).join('') : key);
    if (this.#insertion) {
      // A change of a selection cannot be repeated elsewhere: the size of the selection would be a guess.
      if (wasVisual && !this.#isReplaying) delete this.#state.lastChange;
      if (isChange && !this.#isReplaying) this.#changeKeys = this.#commandKeys(bare);
      this.#pendingChange = { register, count: this.#totalCount(count) };
      return;
    }
    if ((key !== 'u' && key !== '<C-r>') || wasVisual) {
      this.#state.buffer.commit(
        this.#commandStart ?? before,
        isChange && FORCED.test(this.#keys.slice(bare, bare + 2).join('')),
      );
    }
    if (isChange && !this.#isReplaying) {
      const keys = [...registerKeys(register), ...this.#commandKeys(bare)];
      this.#state.lastChange = { keys, count: this.#totalCount(count) };
    } else if (
      wasVisual &&
      !this.#visual &&
      !this.#isReplaying &&
      start < this.#at &&
      /^[dcxsXDCSrJ~uU><pP]$/.test(key)
    ) {
      delete this.#state.lastChange;
    }
  }

  /** The count behind an operator: `.` keeps one count for both. */
  #innerCount: { from: number; until: number } | undefined;

  #commandKeys(from: number): string[] {
    const inner = this.#innerCount;
    return this.#keys
      .slice(from, this.#at)
      .filter((_, at) => !inner || at + from < inner.from || at + from >= inner.until);
  }

  #totalCount(count: number | undefined): number | undefined {
    const inner = this.#innerCount;
    const digits = inner ? this.#keys.slice(inner.from, inner.until).join('') : '';
    return digits === '' ? count : (count ?? 1) * Number(digits);
  }

  #pendingChange: { register: string; count: number | undefined } | undefined;

  #normalCommand(key: string, count: number | undefined, register: string): void {
    const { buffer } = this.#state;
    const times = count ?? 1;
    if (OPERATORS.has(key)) return this.#operator(key as Operator, count, register);
    switch (key) {
      case '<Esc>':
        return;
      case 'g':
        return this.#gCommand(count, register);
      case 'Z':
        if (this.#next() !== 'Z') throw new VimError('"ZQ" would throw the changes away; use "u".');
        return;
      case 'x':
      case '<Del>':
      case 'X':
        return deleteChars(this.#state, key === 'X', times, register);
      case 'D':
      case 'C':
        return this.#toLineEnd(key === 'C' ? 'c' : 'd', times, register);
      case 'Y':
        return this.#apply('y', wholeLines(this.#state, times), register);
      case 's': {
        const before = buffer.checkpoint();
        deleteChars(this.#state, false, times, register, true);
        return this.#startInsertion(1, { before });
      }
      case 'S':
        return this.#apply('c', wholeLines(this.#state, times), register);
      case 'r':
        return replaceChars(this.#state, times, this.#next());
      case '~':
        return swapCase(this.#state, times);
      case 'J':
        return joinLines(this.#state, buffer.cursor.line, times, true);
      case 'p':
      case 'P':
        return putRegister(this.#state, register, times, key === 'P');
      case '<C-a>':
      case '<C-x>':
        return addToNumber(this.#state, key === '<C-a>' ? times : -times);
      case 'u':
      case '<C-r>':
        for (let left = times; left > 0; left--) {
          const isDone = key === 'u' ? buffer.undo() : buffer.redo();
          if (!isDone) throw new VimError(`there is nothing more to ${key === 'u' ? 'undo' : 'redo'}.`);
        }
        return;
      case '.':
        return this.#repeat(count);
      case 'v':
      case 'V':
        this.#visual = { from: buffer.cursor, isLinewise: key === 'V' };
        return;
      case ':':
        return this.#exLine(count);
      default:
        if (this.#insertKey(key, times)) return;
        return this.#move(this.#motions.read(key, count));
    }
  }

  #insertKey(key: string, times: number): boolean {
    const { buffer } = this.#state;
    const { line, col } = buffer.cursor;
    const text = buffer.line();
    if (key === 'i') this.#startInsertion(times);
    else if (key === 'R') {
      if (times > 1) throw new VimError('a count before "R" is not supported.');
      this.#startInsertion(1, { replaces: true });
    } else if (key === 'a') {
      buffer.cursor = { line, col: text === '' ? 0 : buffer.right(buffer.cursor) };
      this.#startInsertion(times);
    } else if (key === 'I' || key === 'A') {
      buffer.cursor = { line, col: key === 'A' ? text.length : (/^[ \t]*/.exec(text)?.[0].length ?? col) };
      this.#startInsertion(times);
    } else if (key === 'o' || key === 'O') {
      const before = buffer.checkpoint();
      const at = key === 'o' ? line + 1 : line;
      buffer.insertLines(at, ['']);
      buffer.cursor = { line: at, col: 0 };
      this.#startInsertion(times, { before, onNewLines: true });
    } else return false;
    return true;
  }

  #gCommand(count: number | undefined, register: string): void {
    const key = this.#next();
    const { buffer } = this.#state;
    switch (key) {
      case 'u':
      case 'U':
      case '~':
        return this.#operator(`g${key}` as Operator, count, register);
      case 'J':
        return joinLines(this.#state, buffer.cursor.line, count ?? 1, false);
      case 'v': {
        const { lastVisual } = this.#state;
        if (!lastVisual) throw new VimError('there is no last visual selection.');
        this.#visual = { from: lastVisual.from, isLinewise: lastVisual.isLinewise };
        return buffer.moveTo(lastVisual.to);
      }
      default:
        return this.#move(this.#motions.read(`g${key}`, count));
    }
  }

  // Motions

  #move({ to }: Motion): void {
    this.#state.buffer.moveTo(to);
    if (!this.#motions.keepsColumn) delete this.#state.wantedCol;
  }

  // Operators

  #operator(operator: Operator, count: number | undefined, register: string): void {
    const from = this.#at;
    const inner = this.#count();
    this.#innerCount = { from, until: this.#at };
    const total = count === undefined && inner === undefined ? undefined : (count ?? 1) * (inner ?? 1);
    const key = this.#next();
    const isLong = operator.startsWith('g') && key === 'g' && this.#keys[this.#at] === operator[1];
    if (isLong) this.#next();
    if (isLong || isDoubled(operator, key)) {
      const lines = wholeLines(this.#state, total ?? 1);
      // As with `_`, which leads to the text of the line.
      const isToText = operator.startsWith('g') && (total ?? 1) === 1;
      const col = Math.min(lines.start.col, this.#state.buffer.firstNonBlank(lines.start.line));
      return this.#apply(operator, isToText ? { ...lines, start: { line: lines.start.line, col } } : lines, register);
    }
    if (key === 'i' || key === 'a') {
      if (total !== undefined && total > 1) throw new VimError('a count before a text object is not supported.');
      const object = findObject(this.#state.buffer, this.#next(), key === 'a');
      return this.#apply(operator, object, register);
    }
    const { cursor } = this.#state.buffer;
    const motion = this.#operatorMotion(operator, key, total);
    const start = this.#state.buffer.cursor;
    this.#state.buffer.cursor = cursor;
    delete this.#state.wantedCol;
    this.#apply(operator, regionOf(this.#state, operator, start, motion), register);
  }

  #operatorMotion(operator: Operator, key: string, count: number | undefined): Motion {
    const { buffer } = this.#state;
    const here = buffer.line()[buffer.cursor.col] ?? ' ';
    if (operator === 'c' && (key === 'w' || key === 'W')) {
      // `cw` on a word leaves the blanks behind it.
      if (/[ \t]/.test(here)) return this.#motions.read(key, count);
      return wordEndFrom(this.#state, count ?? 1, key === 'W');
    }
    this.#motions.isForOperator = true;
    const motion = this.#motions.read(key === 'g' ? `g${this.#next()}` : key, count);
    const isNowhere =
      motion.kind === 'exclusive' && motion.to.line === buffer.cursor.line && motion.to.col === buffer.cursor.col;
    if (isNowhere && '/?nN*#'.includes(key))
      throw new VimError('the search leads back to the cursor: there is no text in between.');
    // An operator may take the last character of a line, which a cursor cannot pass.
    if ((key === 'l' || key === ' ') && motion.to.col === buffer.cursor.col)
      throw new VimError('there is no text under the cursor.');
    return motion;
  }

  #apply(operator: Operator, region: Region, register: string): void {
    const isCase = operator === 'gu' || operator === 'gU' || operator === 'g~';
    const isEmpty = region.start.line === region.end.line && region.start.col >= region.end.col;
    if (isCase && isEmpty && !region.isLinewise) throw new VimError(`"${operator}" has no text to change there.`);
    const before = this.#undoPoint(operator, region);
    delete this.#state.wantedCol;
    if (operate(this.#state, operator, region, { register })) this.#startInsertion(1, { before });
  }

  /** Where undo leads back to: for deleted lines, their start. */
  #undoPoint(operator: Operator, { start, isLinewise }: Region): Insertion['start'] {
    const now = this.#state.buffer.checkpoint();
    this.#commandStart =
      isLinewise && operator === 'd' ? { ...now, cursor: { line: start.line, col: 0 } } : { ...now, cursor: start };
    return this.#commandStart;
  }

  /** The text before the current command, once it has said where undo leads. */
  #commandStart: Insertion['start'] | undefined;

  #toLineEnd(operator: 'd' | 'c', times: number, register: string): void {
    const { buffer } = this.#state;
    const { line } = buffer.cursor;
    const last = line + times - 1;
    if (last > buffer.lastLine) throw new VimError(`there are not ${times} lines from line ${line + 1} on.`);
    const end = { line: last, col: buffer.line(last).length };
    if (times === 1 && buffer.line() === '') {
      storeRegister(this.#state, register, { lines: [''], isLinewise: false }, false);
      if (operator === 'c') this.#startInsertion(1);
      return;
    }
    this.#apply(
      operator,
      maybeLinewise(this.#state, operator, { start: buffer.cursor, end, isLinewise: false }),
      register,
    );
  }

  #repeat(count: number | undefined): void {
    const { lastChange } = this.#state;
    if (!lastChange) throw new VimError('there is no change that "." could repeat.');
    const times = count ?? lastChange.count;
    const wasReplaying = this.#isReplaying;
    this.#isReplaying = true;
    try {
      const [quote = '', name = ''] = lastChange.keys;
      const hasRegister = quote === '"';
      const rest = hasRegister ? lastChange.keys.slice(2) : lastChange.keys;
      this.run([...(hasRegister ? [quote, name] : []), ...(times === undefined ? [] : String(times)), ...rest]);
      if (this.#insertion) this.#endInsertion();
    } finally {
      this.#isReplaying = wasReplaying;
    }
    if (count !== undefined) this.#state.lastChange = { ...lastChange, count };
  }

  // Visual mode

  #visualCommand(key: string, count: number | undefined, register: string): void {
    const { buffer } = this.#state;
    const visual = this.#visual;
    if (!visual) return;
    switch (key) {
      case '<Esc>':
        return this.#endVisual();
      case 'v':
      case 'V':
        if (visual.isLinewise === (key === 'V')) return this.#endVisual();
        visual.isLinewise = key === 'V';
        return;
      case 'o':
      case 'O':
        this.#visual = { from: buffer.cursor, isLinewise: visual.isLinewise };
        return void (buffer.cursor = visual.from);
      case 'i':
      case 'a': {
        const object = findObject(buffer, this.#next(), key === 'a');
        this.#visual = { from: object.start, isLinewise: object.isLinewise || visual.isLinewise };
        return void (buffer.cursor = {
          line: object.end.line,
          col: object.isLinewise ? buffer.cursor.col : buffer.left(object.end),
        });
      }
      case ':':
        this.#endVisual();
        return this.#exLine(undefined, "'<,'>");
      default:
        return this.#visualOperator(key, count, register, visual);
    }
  }

  #visualOperator(given: string, count: number | undefined, register: string, visual: Visual): void {
    const key = given === 'g' ? `g${this.#next()}` : given;
    const region = selection(this.#state, visual, 'dxcsy'.includes(key) || key === '<Del>');
    const lines: Region = { ...region, isLinewise: true };
    const operators: Readonly<Record<string, readonly [Operator, Region]>> = {
      d: ['d', region],
      x: ['d', region],
      '<Del>': ['d', region],
      X: ['d', lines],
      D: ['d', lines],
      c: ['c', region],
      s: ['c', region],
      S: ['c', lines],
      R: ['c', lines],
      C: ['c', lines],
      y: ['y', region],
      Y: ['y', lines],
      '>': ['>', lines],
      '<': ['<', lines],
      u: ['gu', region],
      U: ['gU', region],
      '~': ['g~', region],
      gu: ['gu', region],
      gU: ['gU', region],
      'g~': ['g~', region],
    };
    const operator = operators[key];
    if (operator) {
      const before = this.#undoPoint(...operator);
      this.#endVisual();
      const isInsert = operate(this.#state, operator[0], operator[1], { register, times: count ?? 1 });
      if (isInsert) this.#startInsertion(1, { before });
      return;
    }
    if (key === 'J' || key === 'gJ') {
      this.#endVisual();
      return joinLines(this.#state, region.start.line, region.end.line - region.start.line + 1, key === 'J');
    }
    if (key === 'r' || key === 'p' || key === 'P') {
      const char = key === 'r' ? this.#next() : '';
      this.#endVisual();
      return key === 'r' ? replaceSelection(this.#state, region, char) : putOver(this.#state, region, register);
    }
    this.#move(this.#motions.read(key, count));
  }

  #endVisual(): void {
    const visual = this.#visual;
    this.#visual = undefined;
    const { buffer } = this.#state;
    if (visual) this.#state.lastVisual = { from: visual.from, to: buffer.cursor, isLinewise: visual.isLinewise };
    buffer.moveTo(buffer.cursor);
  }

  // Insert mode

  #startInsertion(
    times: number,
    {
      before,
      onNewLines = false,
      replaces = false,
    }: { before?: Insertion['start']; onNewLines?: boolean; replaces?: boolean } = {},
  ): void {
    delete this.#state.wantedCol;
    this.#insertion = { start: before ?? this.#state.buffer.checkpoint(), times, onNewLines, typed: [], replaces };
  }

  #typeKey(key: string): void {
    const insertion = this.#insertion;
    if (!insertion) return;
    if (key === '<Esc>') return this.#endInsertion();
    insertion.typed.push(key);
    typeKey(this.#state, key, insertion.replaces);
  }

  #endInsertion(): void {
    const insertion = this.#insertion;
    if (!insertion) return;
    const { buffer } = this.#state;
    for (let left = insertion.times - 1; left > 0; left--) {
      if (insertion.onNewLines) {
        buffer.insertLines(buffer.cursor.line + 1, ['']);
        buffer.cursor = { line: buffer.cursor.line + 1, col: 0 };
      }
      for (const key of insertion.typed) typeKey(this.#state, key, insertion.replaces);
    }
    this.#insertion = undefined;
    buffer.moveTo({ line: buffer.cursor.line, col: buffer.left(buffer.cursor) });
    buffer.commit(insertion.start);
    if (this.#changeKeys && !this.#isReplaying) {
      const { register = '"', count } = this.#pendingChange ?? { count: undefined };
      this.#state.lastChange = {
        keys: [...registerKeys(register), ...this.#changeKeys, ...insertion.typed, '<Esc>'],
        count,
      };
    }
    this.#changeKeys = undefined;
  }

  #exLine(count: number | undefined, range = ''): void {
    let source = count === undefined ? range : `.,.+${count - 1}`;
    for (let key = this.#next(); key !== '<CR>'; key = this.#next()) {
      if (key === '<Esc>') return;
      source += key;
    }
    this.#commandStart = { ...this.#state.buffer.checkpoint(), cursor: { line: -2, col: 0 } };
    runEx(
      {
        state: this.#state,
        normal: (keys) => {
          this.run(readKeys(keys));
          this.escape();
        },
        reload: () => {
          const { buffer } = this.#state;
          buffer.splice(0, buffer.lines.length, this.#original);
          buffer.moveTo(buffer.cursor);
        },
      },
      source,
    );
  }
}

/** Commands that are a step of undo even when the text looks the same. */
const FORCED = /^(?:g[uU~]|[<>~])/;

/** Keys whose command `.` repeats. */
const CHANGES = new Set('d c > < gu gU g~ gJ x X <Del> D C s S r ~ J p P <C-a> <C-x> i a I A o O R'.split(' '));

function registerKeys(register: string): string[] {
  return register === '"' ? [] : ['"', register];
}

function isDoubled(operator: Operator, key: string): boolean {
  return operator.length === 1 ? key === operator : key === operator[1];
}
