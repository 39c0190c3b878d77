/** Components for screen readers: what is new is written below, and nothing that was written is changed or taken away. */
import { ScreenBase } from './screen-base.ts';
import type { Caret } from './rows.ts';

const LINE_END = '\r\n';
/** Live rows are never cut: what does not fit the terminal scrolls. */
const MOST_ROWS = 100_000;
/** How long nothing may have come before an unchanged line to write in is told again: between the rows of an answer it would be in the way. */
const QUIET_MS = 1_000;

/** The line that is written in: what the terminal shows of it, and where its cursor is. */
interface InputLine {
  readonly text: string;
  readonly column: number;
}

/**
 * A screen that only grows. Rows that were not there in the frame before are written as lines; of what is chosen one line says what it is and where. In the line
 * of the caret letters are written and taken back as shells do it; any other change of it is a new line.
 */
export class AppendScreen extends ScreenBase {
  /** Rows of the last frame, without what moves: marks and numbers. */
  #known: ReadonlySet<string> = new Set();
  #spoken: string | undefined;
  /** The line of the caret in the last frame, and whether the cursor is in it. */
  #input: InputLine | undefined;
  #isInInput = false;
  /** The cursor is behind something, not at the beginning of a line. */
  #isInLine = false;
  #timer: NodeJS.Timeout | undefined;
  #isQuiet = true;

  /** Nothing is cleared: the rows are written below. */
  redraw(rows: readonly string[]): void {
    this.finished = [...rows];
    this.stack.invalidate();
    this.forget();
    this.requestFrame();
  }

  protected frame(): string {
    const finished = this.preparer.finished(this.finished, this.columns, this.height).map(atEnd);
    this.finished = [];
    const { rows, input } = this.#live();
    const spoken = this.stack.spoken();
    const said = this.#newRows(rows, spoken);
    const isMoved = spoken !== undefined && (spoken !== this.#spoken || said.length > 0);
    const isTyped = input !== undefined && !isSame(input, this.#input);
    // What is typed to find something stands with what was found.
    const found = isTyped && this.#spoken !== undefined ? `${input.text.trimEnd()}  ` : '';
    if (isMoved) said.push(...this.#broken(found + spoken));
    this.#spoken = spoken;
    const written = this.#writeLines([...finished, ...said]);
    // The row of a list is written when something is typed; a row to write in waits for that, and is there first.
    if (spoken !== undefined && (isMoved || !isTyped)) {
      this.#input = input;
      return written;
    }
    return !isTyped && !this.#isQuiet ? written : written + this.#writeInput(input);
  }

  protected leave(): string {
    clearTimeout(this.#timer);
    const last = this.#begin();
    this.forget();
    return last;
  }

  protected forget(): void {
    this.#known = new Set();
    this.#spoken = undefined;
    this.#input = undefined;
    this.#isQuiet = true;
    [this.#isInInput, this.#isInLine] = [false, false];
  }

  /** Where the terminal has the cursor now is its secret: the next change begins a line. */
  protected resized(): void {
    this.#isInInput = false;
  }

  /** No brackets around frames: each is a piece of text. */
  protected override isSmall(): boolean {
    return true;
  }

  #live(): { rows: readonly string[]; input: InputLine | undefined } {
    const { columns, height, stack } = this;
    const { page } = stack;
    const live = page ? stack.pageRows(page, columns, height) : stack.liveRows(columns);
    const { rows, caret } = this.preparer.live(live, columns, MOST_ROWS);
    return { rows: rows.filter((_, at) => at !== caret?.row), input: this.#inputOf(rows, caret) };
  }

  #inputOf(rows: readonly string[], caret: Caret | undefined): InputLine | undefined {
    if (!caret) return undefined;
    const text = this.#plain(rows[caret.row] ?? '');
    const missing = caret.column - this.options.text.width(text);
    return { text: missing > 0 ? text + ' '.repeat(missing) : text, column: caret.column };
  }

  /** Rows that the frame before did not have. The entries of a list are told when it opens; then what is chosen is told, one at a time. */
  #newRows(rows: readonly string[], spoken: string | undefined): string[] {
    const keys = rows.map((row) => this.#keyOf(row));
    const isOpening = spoken !== undefined && this.#spoken === undefined;
    const isEntry = (row: string) => spoken !== undefined && !isOpening && /^[\s❯]/.test(this.#plain(row));
    const news = rows.filter((row, at) => {
      const key = keys[at] ?? '';
      return key !== '' && !this.#known.has(key) && !isEntry(row);
    });
    // A line that was left by Enter was read while it was written.
    const left = this.#input ? [this.#keyOf(this.#input.text)] : [];
    this.#known = new Set([...keys, ...left]);
    return news.filter((row) => !left.includes(this.#keyOf(row))).map(atEnd);
  }

  #writeLines(lines: readonly string[]): string {
    if (lines.length === 0) return '';
    const written = this.#begin() + lines.join(LINE_END);
    [this.#isInInput, this.#isInLine] = [false, true];
    this.#isQuiet = this.#input === undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isQuiet = true;
      this.requestFrame();
    }, QUIET_MS);
    return written;
  }

  /** Broken at blanks, because the terminal would cut what is too wide. */
  #broken(line: string): string[] {
    const { columns } = this;
    const { text } = this.options;
    const rows: string[] = [];
    for (const word of this.#plain(line).split(' ')) {
      const last = rows.at(-1);
      if (last !== undefined && text.width(`${last} ${word}`) <= columns) rows[rows.length - 1] = `${last} ${word}`;
      else
        for (let at = 0; at < Math.max(1, text.width(word)); at += columns)
          rows.push(text.slice(word, at, at + columns));
    }
    return rows;
  }

  #writeInput(input: InputLine | undefined): string {
    const before = this.#isInInput ? this.#input : undefined;
    this.#input = input;
    if (!input || (before && isSame(before, input))) return '';
    const change = before && this.#edit(before, input);
    if (change !== undefined) return change;
    const start = this.#begin();
    [this.#isInInput, this.#isInLine] = [true, true];
    return start + input.text + this.#back(input);
  }

  /** Letters at the end, taken back there, or another place of the caret; nothing when only a new line shows the change. */
  #edit(before: InputLine, input: InputLine): string | undefined {
    const { text } = this.options;
    const isAtEnd = ({ text: line, column }: InputLine) => column >= text.width(line);
    if (before.text === input.text) {
      const [from, to] = [before.column, input.column];
      return to < from ? '\b'.repeat(from - to) : text.slice(input.text, from, to);
    }
    if (!isAtEnd(before) || !isAtEnd(input)) return undefined;
    if (input.text.startsWith(before.text)) return input.text.slice(before.text.length);
    const gone = before.text.startsWith(input.text) ? text.width(before.text) - text.width(input.text) : 0;
    return gone > 0 ? '\b \b'.repeat(gone) : undefined;
  }

  #back({ text, column }: InputLine): string {
    return '\b'.repeat(Math.max(0, this.options.text.width(text) - column));
  }

  #begin(): string {
    const end = this.#isInLine ? LINE_END : '';
    [this.#isInInput, this.#isInLine] = [false, false];
    return end;
  }

  #plain(row: string): string {
    return this.options.text.sanitize(row, { keepStyle: false });
  }

  #keyOf(row: string): string {
    return this.#plain(row).replaceAll('❯', ' ').replaceAll(/\d+/g, '0').trim();
  }
}

function isSame(a: InputLine, b: InputLine | undefined): boolean {
  return a.text === b?.text && a.column === b.column;
}

/** Without blanks that only fill a row up. */
function atEnd(row: string): string {
  return row.trimEnd();
}
