/** A text of many lines with a caret and undo. It knows nothing of rows, keys or colours. */
import { snapToBorder } from './graphemes.ts';
import { type Change, compare, endOf, exchanged, type Lines, ordered, type Position } from './positions.ts';
import { type ChangeKind, UndoLog } from './undo-log.ts';

/** Lines, a caret between graphemes, and every change as a step that can be undone. */
export class TextBuffer implements Lines {
  #lines: string[] = [''];
  #caret: Position = { line: 0, offset: 0 };
  #text: string | undefined = '';
  #version = 0;
  readonly #undo = new UndoLog();
  readonly #watchers: ((change: Change) => void)[] = [];

  /** The number of lines, at least one. */
  get lineCount(): number {
    return this.#lines.length;
  }

  /** A line without its line feed; empty where there is none. */
  line(at: number): string {
    return this.#lines[at] ?? '';
  }

  /** Everything, joined by line feeds; kept until the next change. */
  get text(): string {
    return (this.#text ??= this.#lines.join('\n'));
  }

  /** Whether there is nothing. */
  get isEmpty(): boolean {
    return this.#lines.length === 1 && this.#lines[0] === '';
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** Where typing goes; always between two graphemes. */
  get caret(): Position {
    return this.#caret;
  }

  /** The place behind everything. */
  get end(): Position {
    const line = this.#lines.length - 1;
    return { line, offset: this.line(line).length };
  }

  /** The place behind everything in a line. */
  endOfLine(line: number): Position {
    return { line, offset: this.line(line).length };
  }

  /** Calls `watcher` after every change. */
  watch(watcher: (change: Change) => void): void {
    this.#watchers.push(watcher);
  }

  /** Puts the caret somewhere; a place that does not exist becomes the nearest that does. */
  moveTo(place: Position): void {
    this.#undo.seal();
    this.#caret = this.#inside(place);
  }

  /** The text between two places, in either order. */
  slice(a: Position, b: Position): string {
    const [from, to] = ordered(a, b);
    if (from.line === to.line) return this.line(from.line).slice(from.offset, to.offset);
    const middle = this.#lines.slice(from.line + 1, to.line);
    return [this.line(from.line).slice(from.offset), ...middle, this.line(to.line).slice(0, to.offset)].join('\n');
  }

  /** Exchanges the text between two places and puts the caret behind the new one. */
  replace(a: Position, b: Position, inserted: string, kind: ChangeKind = 'other'): void {
    const [from, to] = ordered(a, b);
    const removed = this.slice(from, to);
    if (removed === '' && inserted === '') return;
    const before = this.#caret;
    const change = { at: from, removed, inserted };
    this.#apply(change);
    this.#caret = this.#inside(endOf(from, inserted));
    this.#undo.add(change, kind, before, this.#caret);
  }

  /** Types a text at the caret. */
  insert(text: string, kind: ChangeKind = 'other'): void {
    this.replace(this.#caret, this.#caret, text, kind);
  }

  /** Exchanges everything, as one step. */
  replaceAll(text: string): void {
    this.replace({ line: 0, offset: 0 }, this.end, text);
  }

  /** Takes the last step back. */
  undo(): boolean {
    const step = this.#undo.undo();
    if (!step) return false;
    for (const { at, removed, inserted } of step.changes.toReversed()) {
      this.#apply({ at, removed: inserted, inserted: removed });
    }
    this.#caret = this.#inside(step.before);
    return true;
  }

  /** Does the last undone step again. */
  redo(): boolean {
    const step = this.#undo.redo();
    if (!step) return false;
    for (const change of step.changes) this.#apply(change);
    this.#caret = this.#inside(step.after);
    return true;
  }

  /** Ends a run of typing: what comes next is a step of its own. */
  seal(): void {
    this.#undo.seal();
  }

  /** Until `closeStep`, all changes are one step. */
  openStep(): void {
    this.#undo.open();
  }

  /** Ends what `openStep` began. */
  closeStep(): void {
    this.#undo.close();
  }

  /** Exchanges everything and forgets all steps. */
  reset(text = ''): void {
    this.replaceAll(text);
    this.#undo.clear();
  }

  #apply(change: Change): void {
    const { at, removed, inserted } = change;
    const to = endOf(at, removed);
    const lines = inserted.split('\n');
    lines[0] = this.line(at.line).slice(0, at.offset) + (lines[0] ?? '');
    lines[lines.length - 1] = (lines.at(-1) ?? '') + this.line(to.line).slice(to.offset);
    this.#lines = exchanged(this.#lines, at.line, to.line - at.line + 1, lines);
    this.#text = undefined;
    this.#version += 1;
    for (const watcher of this.#watchers) watcher(change);
  }

  #inside(place: Position): Position {
    if (compare(place, { line: 0, offset: 0 }) <= 0) return { line: 0, offset: 0 };
    if (compare(place, this.end) >= 0) return this.end;
    return { line: place.line, offset: snapToBorder(this.line(place.line), place.offset) };
  }
}
