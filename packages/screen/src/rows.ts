/** Makes rows safe to write: one line each, no sequences but styles, never wider than the screen. */
import { CURSOR_MARKER, type TextColumns } from './component.ts';
import { isImage, wholeImages } from './image-rows.ts';

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
/** Marks that turn the direction of writing: with them a text can look like another one. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Prepares rows for one width; what was prepared for the last call is not prepared again. */
export class RowPreparer {
  readonly #text: TextColumns;
  readonly #keepsLinks: () => boolean;
  #width = 0;
  #known = new Map<string, readonly string[]>();

  /** `keepsLinks` says whether the terminal knows links (OSC 8), or ignores them. */
  constructor(text: TextColumns, keepsLinks: () => boolean = () => true) {
    this.#text = text;
    this.#keepsLinks = keepsLinks;
  }

  /** The rows of a frame, and the caret if one of them has its marker. */
  live(raw: readonly string[], width: number, height = Infinity): PreparedRows {
    if (width !== this.#width) this.#known.clear();
    this.#width = width;
    const known = new Map<string, readonly string[]>();
    const rows: string[] = [];
    let caret: Caret | undefined;
    for (const row of wholeImages(raw, width, height)) {
      const marker = row.indexOf(CURSOR_MARKER);
      const text = marker < 0 ? row : row.replaceAll(CURSOR_MARKER, '');
      if (marker >= 0) caret = this.#caretAt(row.slice(0, marker), rows.length, width);
      const prepared = this.#known.get(text) ?? this.#prepare(text, width);
      known.set(text, prepared);
      rows.push(...prepared);
    }
    this.#known = known;
    return caret ? { rows, caret } : { rows };
  }

  /** Rows for the scrollback. */
  finished(raw: readonly string[], width: number, height = Infinity): readonly string[] {
    return wholeImages(raw, width, height).flatMap((row) => this.#prepare(row, width));
  }

  #prepare(row: string, width: number): readonly string[] {
    if (PLAIN.test(row)) return [row.length > width ? row.slice(0, width) : row];
    if (isImage(row)) return [row];
    return this.#clean(row.replaceAll(CURSOR_MARKER, '')).map((line) => this.#cut(line, width));
  }

  #caretAt(before: string, row: number, width: number): Caret {
    const lines = this.#clean(before);
    const column = Math.min(this.#text.width(lines.at(-1) ?? ''), width - 1);
    return { row: row + lines.length - 1, column };
  }

  #clean(row: string): string[] {
    const safe = this.#text.sanitize(row, { keepStyle: true, keepLinks: this.#keepsLinks() });
    const lines = safe.replace(DIRECTIONS, '').split('\n');
    return lines.map((line) => (line.includes('\t') ? this.#expandTabs(line) : line));
  }

  #expandTabs(line: string): string {
    return line.split('\t').reduce((done, part) => {
      const column = this.#text.width(done);
      return done + ' '.repeat(TAB_WIDTH - (column % TAB_WIDTH)) + part;
    });
  }

  #cut(line: string, width: number): string {
    // A slice closes the link that it ends in.
    const isWhole = !line.includes('\x1b]') && this.#text.width(line) <= width;
    const cut = isWhole ? line : this.#text.slice(line, 0, width);
    return cut.includes('\x1b') ? closed(cut) : cut;
  }
}

/** A colour that ends where the next one begins; what the end of the row closes anyway. */
// oxlint-disable-next-line no-control-regex -- control sequences are what this is about
const ENDED_FOR_ANOTHER = /\x1b\[39m(?=\x1b\[(?:38[;:]|3[0-7]|9[0-7]))/g;
// oxlint-disable-next-line no-control-regex -- likewise
const LAST_ENDS = /(?:\x1b\[(?:0|39|49|2[2-9]|)m)+$/;

/** The row closes its styles, so that the next one begins plain; sequences without effect are left out, because each costs bytes. */
function closed(row: string): string {
  return row.replace(ENDED_FOR_ANOTHER, '').replace(LAST_ENDS, '') + RESET;
}
