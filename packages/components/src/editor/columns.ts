/** Columns of graphemes, and texts as rows can show them. */
import type { TextColumns } from '@tenon/screen';

import { nextBorder } from './graphemes.ts';
import type { Units } from './units.ts';

const TAB_WIDTH = 4;
const MOST_KNOWN = 4096;

/** What the editor needs of text; `loadAccelerator('text')` of @tenon/native is one. */
export interface EditorText extends TextColumns {
  /** The text if it fits, else its beginning and an ellipsis. */
  truncate(text: string, width: number, ellipsis?: string): string;
  /** Lines of at most `width` columns. */
  wrap(text: string, width: number): string[];
}

/** Measures graphemes and draws rows. */
export class Columns {
  readonly #text: EditorText;
  readonly #units: Units;
  readonly #known = new Map<string, number>();

  constructor(text: EditorText, units: Units) {
    this.#text = text;
    this.#units = units;
  }

  /** The columns of a grapheme that begins at a column. */
  readonly measure = (grapheme: string, column: number): number => {
    if (grapheme === '\t') return TAB_WIDTH - (column % TAB_WIDTH);
    if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return 1;
    const known = this.#known.get(grapheme);
    if (known !== undefined) return known;
    const columns = this.#text.width(this.#units.show(grapheme));
    // Labels of units change: a character may stand for another unit later.
    if (grapheme.length <= 32 && this.#units.in(grapheme).length === 0) {
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(grapheme, columns);
    }
    return columns;
  };

  /** A row's text as it is drawn: spaces for tabs, labels for units, which `paint` may colour. */
  draw(text: string, paint: (label: string) => string, from = 0): string {
    if (/^[ -~]*$/.test(text)) return text;
    let drawn = '';
    let column = from;
    for (let at = 0; at < text.length;) {
      const next = nextBorder(text, at);
      const grapheme = text.slice(at, next);
      const columns = this.measure(grapheme, column);
      if (grapheme === '\t') drawn += ' '.repeat(columns);
      else drawn += this.#units.in(grapheme).length > 0 ? paint(this.#units.show(grapheme)) : grapheme;
      column += columns;
      at = next;
    }
    return drawn;
  }

  /** Text from elsewhere on one line, without control characters, in at most `width` columns. */
  oneLine(text: string, width: number): string {
    const line = this.#text.sanitize(text.slice(0, 2000), { keepStyle: false }).replaceAll(/\s+/g, ' ');
    return this.fit(this.#text.truncate(line, Math.max(0, width)), width);
  }

  /** A row that is surely not too wide. */
  fit(row: string, width: number): string {
    return this.#text.width(row) > width ? this.#text.slice(row, 0, Math.max(0, width)) : row;
  }
}
