/** A text under edit: the buffer, its rows, its units, its kills, and the actions on them. */
import { Columns, type EditorText } from './columns.ts';
import type { EditorAction } from './editor-keys.ts';
import { KillRing } from './kill-ring.ts';
import { left, right, wordLeft, wordRight } from './motions.ts';
import { compare, countLineFeeds, type Position } from './positions.ts';
import { RowLayout, type RowPlace } from './row-layout.ts';
import { TextBuffer } from './text-buffer.ts';
import { type Unit, Units, withoutUnits } from './units.ts';

/** Pastes beyond either become units. */
const MOST_LINES_SHOWN = 10;
const MOST_CHARACTERS_SHOWN = 1000;

/** A draft as it was at some moment. */
export interface DraftState {
  readonly text: string;
  readonly caret: Position;
}

/** What the last action was, as far as the next one asks. */
type Last = 'kill' | 'yank' | 'vertical' | 'other';

/** What can be edited; knows no keys and draws nothing. */
export class Draft {
  readonly buffer = new TextBuffer();
  readonly units = new Units();
  readonly columns: Columns;
  readonly rows: RowLayout;
  readonly #text: EditorText;
  readonly #isOneLine: boolean;
  readonly #kills = new KillRing();
  #last: Last = 'other';
  #goal = 0;
  #pastes = 0;

  constructor(text: EditorText, isOneLine = false) {
    this.#text = text;
    this.#isOneLine = isOneLine;
    this.columns = new Columns(text, this.units);
    this.rows = new RowLayout(this.buffer, this.columns.measure);
    this.buffer.watch((change) => this.rows.follow(change));
  }

  /** The text as it is shown, with labels for units. */
  get shown(): string {
    return this.units.show(this.buffer.text);
  }

  /** The text with everything that units stand for. */
  get expanded(): string {
    return this.units.expand(this.buffer.text);
  }

  /** The text and the caret, to come back to. */
  get state(): DraftState {
    return { text: this.buffer.text, caret: this.buffer.caret };
  }

  /** Puts an earlier state back, as one step. */
  restore(state: DraftState): void {
    this.buffer.replaceAll(state.text);
    this.buffer.moveTo(state.caret);
    this.#last = 'other';
  }

  /** Begins anew; there is nothing to undo then. `kept` are texts whose units are still needed. */
  reset(text: string, kept: readonly string[] = []): void {
    this.buffer.reset(this.clean(text));
    this.units.keepOnly([...this.#kills.kills, ...kept]);
    this.#pastes = 0;
    this.#last = 'other';
  }

  /** Exchanges the text, as one step. */
  exchange(text: string): void {
    this.buffer.replaceAll(this.clean(text));
    this.#last = 'other';
  }

  /** Text from elsewhere without control characters and without what could be taken for units. */
  clean(text: string): string {
    const clean = withoutUnits(this.#text.sanitize(text, { keepStyle: false }));
    return this.#isOneLine ? clean.replaceAll('\n', ' ') : clean;
  }

  /** Types a text: one step with what was typed before it. */
  type(text: string): void {
    this.#last = 'other';
    this.buffer.insert(this.clean(text), 'type');
  }

  /** Inserts a text as a step of its own. */
  insert(text: string): void {
    this.#last = 'other';
    this.buffer.insert(this.clean(text));
  }

  /** Begins a line, as a step of its own: what was typed before it stays on undo. */
  newline(): void {
    if (!this.#isOneLine) this.insert('\n');
  }

  /** Inserts a paste; a long one becomes a unit. */
  paste(text: string): void {
    const clean = this.clean(text.replaceAll(/\r\n?/g, '\n'));
    const lines = countLineFeeds(clean.endsWith('\n') ? clean.slice(0, -1) : clean) + 1;
    const isLong = lines > MOST_LINES_SHOWN || clean.length > MOST_CHARACTERS_SHOWN;
    if (!isLong || this.#isOneLine) return this.insert(clean);
    const size = lines > 1 ? `${lines} lines` : `${clean.length} characters`;
    if (this.insertUnit({ label: `[paste #${this.#pastes + 1}: ${size}]`, value: clean })) this.#pastes += 1;
    else this.insert(clean);
  }

  /** Inserts something that is one character to the editor; false if there are too many. */
  insertUnit(unit: Unit): boolean {
    const label = this.columns.oneLine(withoutUnits(unit.label), 200);
    const character = this.units.add({ label: label || '[…]', value: unit.value });
    if (character === undefined) return false;
    this.#last = 'other';
    this.buffer.insert(character);
    return true;
  }

  /** Does an action of editing or moving; false for actions that are none. */
  run(action: EditorAction): boolean {
    const act = this.#actions[action];
    if (!act) return false;
    const last = this.#last;
    this.#last = 'other';
    act(last);
    return true;
  }

  /** Whether the caret is in the first row. */
  get isOnFirstRow(): boolean {
    return this.rows.above(this.rows.rowOf(this.buffer.caret)) === undefined;
  }

  /** Whether the caret is in the last row. */
  get isOnLastRow(): boolean {
    return this.rows.below(this.rows.rowOf(this.buffer.caret)) === undefined;
  }

  /** Moves by rows; the column comes back after shorter rows. */
  moveRows(count: number): void {
    if (this.#last !== 'vertical') this.#goal = this.rows.columnOf(this.buffer.caret);
    let row: RowPlace = this.rows.rowOf(this.buffer.caret);
    for (let moved = 0; moved < Math.abs(count); moved += 1) {
      const next = count < 0 ? this.rows.above(row) : this.rows.below(row);
      if (!next) break;
      row = next;
    }
    this.buffer.moveTo(this.rows.placeAt(row, this.#goal));
    this.#last = 'vertical';
  }

  readonly #actions: Partial<Record<EditorAction, (last: Last) => void>> = {
    'editor.left': () => this.#moveBy(left),
    'editor.right': () => this.#moveBy(right),
    'editor.wordLeft': () => this.#moveBy(wordLeft),
    'editor.wordRight': () => this.#moveBy(wordRight),
    'editor.up': (last) => this.#vertical(-1, last),
    'editor.down': (last) => this.#vertical(1, last),
    'editor.rowStart': () => this.buffer.moveTo(this.#rowStart()),
    'editor.rowEnd': () => this.buffer.moveTo(this.#rowEnd()),
    'editor.textStart': () => this.buffer.moveTo({ line: 0, offset: 0 }),
    'editor.textEnd': () => this.buffer.moveTo(this.buffer.end),
    'editor.newline': () => this.newline(),
    'editor.deleteBack': () => this.#erase(left(this.buffer, this.buffer.caret)),
    'editor.deleteForward': () => this.#erase(right(this.buffer, this.buffer.caret)),
    'editor.killWordBack': (last) => this.#kill(wordLeft(this.buffer, this.buffer.caret), last),
    'editor.killWordForward': (last) => this.#kill(wordRight(this.buffer, this.buffer.caret), last),
    'editor.killToEnd': (last) => this.#kill(this.#lineEndOrNext(), last),
    'editor.killToStart': (last) => this.#kill(this.#lineStartOrPrevious(), last),
    'editor.yank': () => this.#yank(this.#kills.newest()),
    'editor.yankPop': (last) => this.#yankPop(last),
    'editor.undo': () => void this.buffer.undo(),
    'editor.redo': () => void this.buffer.redo(),
  };

  #moveBy(motion: (lines: TextBuffer, at: Position) => Position): void {
    this.buffer.moveTo(motion(this.buffer, this.buffer.caret));
  }

  #vertical(count: number, last: Last): void {
    this.#last = last;
    this.moveRows(count);
  }

  #rowStart(): Position {
    const { caret } = this.buffer;
    const offset = this.rows.start(this.rows.rowOf(caret)) ?? 0;
    return { line: caret.line, offset: caret.offset === offset ? 0 : offset };
  }

  #rowEnd(): Position {
    const { caret } = this.buffer;
    const end = this.rows.lastOf(this.rows.rowOf(caret));
    return compare(caret, end) === 0 ? this.buffer.endOfLine(caret.line) : end;
  }

  #lineEndOrNext(): Position {
    const { caret } = this.buffer;
    const end = this.buffer.endOfLine(caret.line);
    return compare(caret, end) === 0 ? right(this.buffer, caret) : end;
  }

  #lineStartOrPrevious(): Position {
    const { caret } = this.buffer;
    return caret.offset === 0 ? left(this.buffer, caret) : { line: caret.line, offset: 0 };
  }

  #erase(to: Position): void {
    this.buffer.replace(this.buffer.caret, to, '', 'erase');
  }

  #kill(to: Position, last: Last): void {
    const { caret } = this.buffer;
    const side = compare(to, caret) < 0 ? 'before' : 'after';
    this.#kills.add(this.buffer.slice(caret, to), last === 'kill' ? side : undefined);
    this.buffer.replace(caret, to, '');
    this.#last = 'kill';
  }

  #yank(text: string | undefined): void {
    if (text === undefined) return;
    this.#yankedFrom = this.buffer.caret;
    this.buffer.insert(text);
    this.#last = 'yank';
  }

  #yankedFrom: Position = { line: 0, offset: 0 };

  #yankPop(last: Last): void {
    const older = last === 'yank' ? this.#kills.older() : undefined;
    if (older === undefined) return;
    this.buffer.replace(this.#yankedFrom, this.buffer.caret, older);
    this.#last = 'yank';
  }
}
