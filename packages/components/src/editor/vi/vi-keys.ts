/** Keys as vi understands them, over a buffer: modes, the register, repetition. */
import type { Key } from '@tenon/screen';

import { nextBorder, previousBorder } from '../graphemes.ts';
import { compare, type Position } from '../positions.ts';
import type { Measure } from '../row-layout.ts';
import type { TextBuffer } from '../text-buffer.ts';
import { readCommand, type ViCommand, type ViMotion, type ViOperator } from './vi-command.ts';
import { findTarget, firstVisible, lastOffset, type Target } from './vi-motions.ts';
import { findObject } from './vi-objects.ts';
import {
  isEmptyStretch,
  operate,
  put,
  type Register,
  type Stretch,
  stretchOf,
  withoutLineStart,
} from './vi-operators.ts';
import { joinLines, replaceCharacters, toggleCase } from './vi-simple.ts';

/** The modes of vi that the editor has. */
export type ViMode = 'insert' | 'normal';

/** What is left to the editor: k on the first line and j on the last walk the history. */
export type ViRest = 'older' | 'newer' | undefined;

/** What `.` does again: a command, and what was typed after it. */
interface Repeatable {
  readonly command: ViCommand;
  readonly typed: string;
}

/** Keys that move in normal mode, under other names. */
const OTHER_NAMES: Readonly<Record<string, string>> = { backspace: 'h', delete: 'x', escape: 'escape' };

/** Motions that keep the column for those that follow, and motions that keep it when they cannot be done. */
const KEEPS_GOAL = new Set('jk'.split(''));
const KEEPS_GOAL_IN_VAIN = new Set('ftFT;,hl'.split(''));
const NOTHING: Register = { text: '', isLines: false };

/** Vi's state beside the buffer. */
export class ViKeys {
  readonly #buffer: TextBuffer;
  readonly #measure: Measure;
  #mode: ViMode = 'insert';
  #keys: string[] = [];
  #register: Register = NOTHING;
  #find: ViMotion | undefined;
  #last: Repeatable | undefined;
  #goal: number | undefined;
  #insertion: { command: ViCommand; from: Position } | undefined;

  constructor(buffer: TextBuffer, measure: Measure) {
    this.#buffer = buffer;
    this.#measure = measure;
  }

  /** Which mode it is; a prompt begins in insert mode. */
  get mode(): ViMode {
    return this.#mode;
  }

  /** The keys of a command that is not complete. */
  get pending(): string {
    return this.#keys.join('');
  }

  /** What `p` would put. */
  get register(): string {
    return this.#register.text;
  }

  /** Whether a key is part of a command in normal mode. */
  takes(key: Key): boolean {
    if (key.ctrl || key.alt || key.super) return false;
    return (
      key.text !== '' ||
      key.name === 'backspace' ||
      key.name === 'delete' ||
      (key.name === 'escape' && this.#keys.length > 0)
    );
  }

  /** A new prompt: insert mode, nothing begun. */
  begin(): void {
    this.#endInsertion();
    this.#keys = [];
    this.#mode = 'insert';
  }

  /** Escape: from insert mode to normal mode, or a command is forgotten. */
  escape(): void {
    this.#keys = [];
    if (this.#mode === 'normal') return;
    this.#endInsertion();
    this.#mode = 'normal';
    const { line, offset } = this.#buffer.caret;
    this.#buffer.moveTo({ line, offset: previousBorder(this.#buffer.line(line), offset) });
  }

  /** Does again what was undone. */
  redo(): void {
    this.#buffer.redo();
    this.#clamp();
  }

  /** An action that is not vi's has run. */
  afterAction(isMotion: boolean): void {
    this.#keys = [];
    this.#goal = undefined;
    if (this.#mode === 'normal') this.#clamp();
    else if (isMotion && this.#insertion) this.#insertion = { ...this.#insertion, from: this.#buffer.caret };
  }

  /** Takes a key of normal mode. */
  feed(key: Key): ViRest {
    const name = key.text === '' ? OTHER_NAMES[key.name] : key.text;
    if (name === undefined || name === 'escape') {
      this.#keys = [];
      return undefined;
    }
    this.#keys.push(name);
    const reading = readCommand(this.#keys);
    if (reading === 'incomplete') return undefined;
    this.#keys = [];
    return reading === 'none' ? undefined : this.#run(reading);
  }

  #run(command: ViCommand): ViRest {
    if (command.kind === 'move') return this.#move(command.motion, command.count);
    if (command.kind === 'simple' && command.name === '.') return this.#repeat(command.count);
    this.#buffer.openStep();
    const isDone = this.#change(command);
    if (isDone) this.#goal = undefined;
    const inserts = isDone && startsInsertion(command);
    if (inserts) {
      this.#mode = 'insert';
      this.#insertion = { command, from: this.#buffer.caret };
      // The step stays open: what is typed belongs to it.
      return undefined;
    }
    this.#buffer.closeStep();
    if (isDone && changesText(command)) this.#last = { command, typed: '' };
    this.#clamp();
    return undefined;
  }

  #change(command: ViCommand): boolean {
    if (command.kind === 'lines') return this.#operateLines(command.operator, command.count ?? 1);
    if (command.kind === 'object') return this.#operateObject(command.operator, command.object, command.count ?? 1);
    if (command.kind === 'operate') return this.#operateMotion(command.operator, command.motion, command.count);
    return command.kind === 'simple' && this.#simple(command.name, command.count ?? 1, command.char ?? '');
  }

  #move(motion: ViMotion, count: number | undefined): ViRest {
    const { caret, lineCount } = this.#buffer;
    if (motion.name === 'k' && caret.line === 0) return 'older';
    if (motion.name === 'j' && caret.line === lineCount - 1) return 'newer';
    const target = this.#target(motion, count);
    if (motion.name === '$') this.#goal = Infinity;
    else if (!KEEPS_GOAL.has(motion.name) && (target || !KEEPS_GOAL_IN_VAIN.has(motion.name))) this.#goal = undefined;
    if (!target) return undefined;
    this.#buffer.moveTo(target.to);
    this.#clamp();
    return undefined;
  }

  #target(motion: ViMotion, count: number | undefined, operator?: ViOperator): Target | undefined {
    if (motion.name === 'j' || motion.name === 'k') return this.#vertical(motion.name === 'j' ? 1 : -1, count ?? 1);
    const from = this.#buffer.caret;
    const request = { lines: this.#buffer, from, motion, count, find: this.#find };
    if (motion.char !== undefined) this.#find = motion;
    return findTarget(operator === undefined ? request : { ...request, operator });
  }

  #vertical(by: 1 | -1, count: number): Target | undefined {
    const { caret, lineCount } = this.#buffer;
    const line = Math.max(0, Math.min(lineCount - 1, caret.line + by * count));
    if (line === caret.line) return undefined;
    this.#goal ??= this.#columnOf(caret);
    return { to: { line, offset: this.#offsetAt(line, this.#goal) }, reach: 'lines' };
  }

  #columnOf({ line, offset }: Position): number {
    const text = this.#buffer.line(line);
    let column = 0;
    for (let at = 0; at < offset;) {
      const next = nextBorder(text, at);
      column += this.#measure(text.slice(at, next), column);
      at = next;
    }
    return column;
  }

  #offsetAt(line: number, goal: number): number {
    const text = this.#buffer.line(line);
    const last = lastOffset(text);
    let at = 0;
    for (let column = 0; at < last;) {
      const next = nextBorder(text, at);
      column += this.#measure(text.slice(at, next), column);
      if (column > goal) break;
      at = next;
    }
    return at;
  }

  #operateMotion(operator: ViOperator, motion: ViMotion, count: number | undefined): boolean {
    const { caret } = this.#buffer;
    const target = this.#target(motion, count, operator);
    this.#goal = undefined;
    // To change nothing, at a line's start or end, is to insert there.
    if (!target) return operator === 'c' && (motion.name === 'l' || motion.name === 'h');
    // To change an empty line leaves nothing to put.
    if (operator === 'c' && target.reach === 'inclusive' && this.#buffer.line(caret.line) === '')
      this.#register = NOTHING;
    return this.#operate(operator, stretchOf(this.#buffer, caret, target, operator));
  }

  #operateLines(operator: ViOperator, count: number): boolean {
    const { caret, lineCount } = this.#buffer;
    if (count > 1 && caret.line === lineCount - 1) return false;
    if (operator === 'd' && this.#buffer.isEmpty) return false;
    const to = { line: Math.min(lineCount - 1, caret.line + count - 1), offset: 0 };
    return this.#operate(operator, { from: caret, to, isLines: true });
  }

  #operateObject(operator: ViOperator, object: string, count: number): boolean {
    const range = findObject(this.#buffer, this.#buffer.caret, object, count);
    if (!range) return false;
    const { from, to } = range;
    const isAtStart = to.offset === 0 && to.line > from.line;
    return this.#operate(operator, isAtStart ? withoutLineStart(this.#buffer, from, to) : { from, to, isLines: false });
  }

  #operate(operator: ViOperator, stretch: Stretch): boolean {
    if (isEmptyStretch(stretch)) {
      this.#buffer.moveTo(stretch.from);
      return true;
    }
    this.#register = operate(this.#buffer, operator, stretch);
    return true;
  }

  #simple(name: string, count: number, char: string): boolean {
    const buffer = this.#buffer;
    const { line, offset } = buffer.caret;
    const text = buffer.line(line);
    switch (name) {
      case 'r':
        return replaceCharacters(buffer, char, count);
      case '~':
        return toggleCase(buffer, count);
      case 'J':
        return joinLines(buffer, count);
      case 'u':
        for (let step = 0; step < count; step += 1) if (!buffer.undo()) break;
        return true;
      case 'p':
      case 'P':
        put(buffer, this.#register, name === 'P', count);
        return true;
      case 'a':
        buffer.moveTo({ line, offset: nextBorder(text, offset) });
        return true;
      case 'I':
        buffer.moveTo({ line, offset: text.trim() === '' ? text.length : firstVisible(text) });
        return true;
      case 'A':
        buffer.moveTo(buffer.endOfLine(line));
        return true;
      case 'o':
        buffer.replace(buffer.endOfLine(line), buffer.endOfLine(line), '\n');
        return true;
      case 'O':
        buffer.replace({ line, offset: 0 }, { line, offset: 0 }, '\n');
        buffer.moveTo({ line, offset: 0 });
        return true;
      default:
        return name === 'i';
    }
  }

  #repeat(count: number | undefined): ViRest {
    const last = this.#last;
    if (!last) return undefined;
    const command = count === undefined ? last.command : { ...last.command, count };
    this.#run(command);
    if (this.#mode !== 'insert') return undefined;
    this.#buffer.insert(last.typed);
    this.escape();
    return undefined;
  }

  /** Notes what was typed, for `.`, and types it again if the command had a count. */
  #endInsertion(): void {
    const insertion = this.#insertion;
    if (!insertion) return;
    this.#insertion = undefined;
    const { from, command } = insertion;
    const { caret } = this.#buffer;
    const typed = compare(from, caret) < 0 ? this.#buffer.slice(from, caret) : '';
    this.#last = { command, typed };
    if (command.kind === 'simple' && typed !== '') {
      const again = command.name === 'o' || command.name === 'O' ? `\n${typed}` : typed;
      this.#buffer.insert(again.repeat((command.count ?? 1) - 1));
    }
    this.#buffer.closeStep();
  }

  /** In normal mode the caret is on a grapheme, never behind the last one. */
  #clamp(): void {
    const { line, offset } = this.#buffer.caret;
    const text = this.#buffer.line(line);
    if (offset >= text.length && offset > 0) this.#buffer.moveTo({ line, offset: lastOffset(text) });
  }
}

const INSERTING = new Set('iaIAoO'.split(''));

function startsInsertion(command: ViCommand): boolean {
  if (command.kind === 'simple') return INSERTING.has(command.name);
  return command.kind !== 'move' && command.operator === 'c';
}

function changesText(command: ViCommand): boolean {
  if (command.kind === 'simple') return command.name !== 'u';
  return command.kind !== 'move' && command.operator !== 'y';
}
