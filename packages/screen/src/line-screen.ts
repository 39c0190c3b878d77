/** Components on a terminal that knows no sequences: what is new is written below, and a line stands for keys. */
import type { LineTerminal } from './line-terminal.ts';
import type { Caret } from './rows.ts';
import { ScreenBase } from './screen-base.ts';
import type { ScreenOptions } from './screen.ts';

/** What the screen is made of. */
export interface LineScreenOptions extends ScreenOptions {
  readonly terminal: LineTerminal;
  /** Whether a line that is typed now is sent as it is; else it stands for keys of what is asked. */
  takesLines(): boolean;
}

/** How long nothing may have come before the user is asked again: a question between two rows would be in the way. */
const QUIET_MS = 150;

/** Keys that a line names; an empty line is Enter. */
const KEYS: Readonly<Record<string, string>> = {
  '': '\r',
  esc: '\x1b',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  tab: '\t',
  space: ' ',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
};
const HINT = 'Type a letter, a number, or up, down, tab, space, esc; an empty line is Enter.';

/** The screen where nothing can be drawn over. */
export class LineScreen extends ScreenBase {
  readonly #takesLines: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #isQuiet = false;
  /** What was asked last, without numbers: a countdown is not asked about anew. */
  #asked: string | undefined;
  /** The cursor stands behind a question, not at the beginning of a line. */
  #isInLine = false;
  #hasHint = false;

  constructor(options: LineScreenOptions) {
    super({ ...options, frameInterval: options.frameInterval ?? QUIET_MS });
    this.#takesLines = () => options.takesLines();
    options.terminal.keysOf = (line) => this.#keysOf(line);
  }

  /** Nothing can be cleared: the rows are written below. */
  redraw(rows: readonly string[]): void {
    this.finished = [...rows];
    this.stack.invalidate();
    this.requestFrame();
  }

  /** What is said beside the rows are sequences: this terminal would print them. */
  override say(): void {}

  protected frame(): string {
    const { columns, height } = this;
    const rows = this.preparer.finished(this.finished, columns, height).map((row) => this.#plain(row));
    this.finished = [];
    if (rows.length > 0) {
      this.#isQuiet = false;
      this.#asked = undefined;
    }
    const said = rows.length > 0 ? this.#newLine() + rows.map((row) => `${row}\n`).join('') : '';
    return said + (this.#isQuiet ? this.#question() : this.#askLater());
  }

  protected leave(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#asked = undefined;
    return this.#newLine();
  }

  protected forget(): void {
    this.#isInLine = false;
    this.#asked = undefined;
  }

  protected resized(): void {}

  /** No brackets around frames. */
  protected override isSmall(): boolean {
    return true;
  }

  #askLater(): string {
    if (!this.#timer) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#isQuiet = true;
        this.requestFrame();
      }, QUIET_MS);
    } else this.#timer.refresh();
    return '';
  }

  /** The live rows, if they are others than those that were shown; the row with the caret comes last and stays open. */
  #question(): string {
    const { columns, height, stack } = this;
    const { page } = stack;
    const live = page ? stack.pageRows(page, columns, height) : stack.liveRows(columns);
    const { rows, caret } = this.preparer.live(live, columns, height);
    const shown = rows.map((row) => this.#plain(row));
    const asked = shown.join('\n').replaceAll(/\d+/g, '0');
    if (asked === this.#asked) return '';
    this.#asked = asked;
    const { above, open } = this.#split(shown, caret);
    const lines = [...above.filter((row) => row.trim() !== ''), ...this.#hint()];
    const before = this.#newLine();
    this.#isInLine = true;
    return before + lines.map((line) => `${line}\n`).join('') + open;
  }

  /** Once, when something is asked. */
  #hint(): readonly string[] {
    if (this.#hasHint || this.#takesLines()) return [];
    this.#hasHint = true;
    return [HINT];
  }

  #newLine(): string {
    const before = this.#isInLine ? '\n' : '';
    this.#isInLine = false;
    return before;
  }

  #keysOf(line: string): string {
    // Enter has ended the line that the question stands in.
    this.#isInLine = false;
    this.#asked = undefined;
    this.#isQuiet = false;
    // Whatever the line does, the user is asked again.
    this.requestFrame();
    const text = `\x1b[200~${line}\x1b[201~`;
    if (this.#takesLines()) return line === '' ? '' : `${text}\r`;
    return KEYS[line.trim().toLowerCase()] ?? (Array.from(line.trim()).length === 1 ? line.trim() : text);
  }

  #plain(row: string): string {
    return this.options.text.sanitize(row, { keepStyle: false }).trimEnd();
  }

  #split(rows: readonly string[], caret: Caret | undefined): { above: readonly string[]; open: string } {
    if (!caret) return { above: rows, open: '> ' };
    const row = rows[caret.row] ?? '';
    const open = this.options.text.slice(row, 0, caret.column);
    // The blank before the caret was cut off with those at the end.
    return { above: rows.filter((_, at) => at !== caret.row), open: open.endsWith(' ') ? open : `${open} ` };
  }
}
