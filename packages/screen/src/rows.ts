/** Makes rows safe to write: one line each, no sequences but styles, never wider than the screen. */
import { CURSOR_MARKER, type TextColumns } from './component.ts';

/** Where the caret is: a row of the rows, a column of the screen. */
export interface Caret {
  readonly row: number;
  readonly column: number;
}

/** Rows that can be written as they are. */
export interface PreparedRows {
  readonly rows: readonly string[];
  readonly caret?: Caret;
}

const TAB_WIDTH = 4;
const PLAIN = /^[ -~]*$/;
const RESET = '\x1b[0m';

/** Prepares rows for one width; what was prepared for the last call is not prepared again. */
export class RowPreparer {
  readonly #text: TextColumns;
  #width = 0;
  #known = new Map<string, readonly string[]>();

  constructor(text: TextColumns) {
    this.#text = text;
  }

  /** The rows of a frame, and the caret if one of them has its marker. */
  live(raw: readonly string[], width: number): PreparedRows {
    if (width !== this.#width) this.#known.clear();
    this.#width = width;
    const known = new Map<string, readonly string[]>();
    const rows: string[] = [];
    let caret: Caret | undefined;
    for (const row of raw) {
      const marker = row.indexOf(CURSOR_MARKER);
      const text = marker < 0 ? row : row.replaceAll(CURSOR_MARKER, '');
      if (marker >= 0) caret = this.#caretAt(row.slice(0, marker), rows.length, width);
      const prepared = this.#known.get(text) ?? this.finished([text], width);
      known.set(text, prepared);
      rows.push(...prepared);
    }
    this.#known = known;
    return caret ? { rows, caret } : { rows };
  }

  /** Rows for the scrollback. */
  finished(raw: readonly string[], width: number): readonly string[] {
    return raw.flatMap((row) => {
      if (PLAIN.test(row)) return [row.length > width ? row.slice(0, width) : row];
      return this.#clean(row.replaceAll(CURSOR_MARKER, '')).map((line) => this.#cut(line, width));
    });
  }

  #caretAt(before: string, row: number, width: number): Caret {
    const lines = this.#clean(before);
    const column = Math.min(this.#text.width(lines.at(-1) ?? ''), width - 1);
    return { row: row + lines.length - 1, column };
  }

  #clean(row: string): string[] {
    const lines = this.#text.sanitize(row, { keepStyle: true }).split('\n');
    return lines.map((line) => (line.includes('\t') ? this.#expandTabs(line) : line));
  }

  #expandTabs(line: string): string {
    return line.split('\t').reduce((done, part) => {
      const column = this.#text.width(done);
      return done + ' '.repeat(TAB_WIDTH - (column % TAB_WIDTH)) + part;
    });
  }

  #cut(line: string, width: number): string {
    const cut = this.#text.width(line) > width ? this.#text.slice(line, 0, width) : line;
    // A row closes its styles, so that the next one begins plain.
    return cut.includes('\x1b') && !cut.endsWith(RESET) ? cut + RESET : cut;
  }
}
