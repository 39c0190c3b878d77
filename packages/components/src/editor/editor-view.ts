/** The editor as rows: borders without sides, a window on the text, the popup or the search row below. */
import { CURSOR_MARKER } from '@tenon/screen';

import type { Theme, ThemeColor } from '../theme/theme.ts';
import type { EditorText } from './columns.ts';
import type { CompletionItem, Popup } from './completion.ts';
import type { Draft } from './draft.ts';
import type { HistorySearch } from './history-search.ts';
import type { RowPlace } from './row-layout.ts';

/** What the view draws. */
export interface EditorLook {
  readonly theme: Theme;
  readonly border: ThemeColor;
  readonly hasBorders: boolean;
  /** Stands before the first row. */
  readonly marker: string;
  readonly placeholder: string;
  readonly maxRows: number;
  /** How many rows the editor and its list may have together: the draft must stay in sight. */
  readonly maxAllRows: number;
  /** A word in the border below, such as the mode of vi. */
  readonly badge: string;
  readonly popup: Popup | undefined;
  readonly search: HistorySearch | undefined;
}

const MOST_POPUP_ROWS = 8;
/** Hidden rows are counted up to this many: nobody needs the number beyond, and it would cost time for each key. */
const MOST_COUNTED = 99;

/** Draws a draft; remembers which row is the first one shown. */
export class EditorView {
  readonly #draft: Draft;
  readonly #text: EditorText;
  #top: RowPlace = { line: 0, row: 0 };

  constructor(draft: Draft, text: EditorText) {
    this.#draft = draft;
    this.#text = text;
  }

  /** All rows for a width. */
  render(width: number, look: EditorLook): string[] {
    const columns = Math.max(1, Math.floor(width));
    const markerWidth = this.#text.width(look.marker);
    const marker = markerWidth + 2 <= columns ? look.marker : '';
    const inner = columns - (marker === '' ? 0 : markerWidth);
    // A column is left for the caret behind a full row.
    this.#draft.rows.width = Math.max(1, inner - 1);
    const { above, below, body } = look.search ? this.#preview(look.search, inner, look) : this.#body(inner, look);
    const indent = ' '.repeat(marker === '' ? 0 : markerWidth);
    const rows = body.map((row, at) => (at === 0 && above === '' ? look.theme.fg(look.border, marker) : indent) + row);
    const lines = look.hasBorders
      ? [
          this.#border(columns, above && `↑ ${above} more`, '', look),
          ...rows,
          this.#border(columns, below && `↓ ${below} more`, look.badge, look),
        ]
      : rows;
    return [
      ...lines,
      ...(look.search
        ? [this.#searchRow(look.search, columns, look)]
        : this.#popupRows(look.popup, columns, look, lines.length)),
    ];
  }

  #body(inner: number, look: EditorLook): { above: string; below: string; body: string[] } {
    const { buffer, rows } = this.#draft;
    if (buffer.isEmpty) {
      this.#top = { line: 0, row: 0 };
      const hint = look.theme.fg('dim', this.#draft.columns.oneLine(look.placeholder, inner));
      return { above: '', below: '', body: [CURSOR_MARKER + (look.placeholder === '' ? '' : hint)] };
    }
    const window = this.#window(Math.max(1, Math.floor(look.maxRows)));
    const caret = rows.rowOf(buffer.caret);
    const body = window.map((row) =>
      row.line === caret.line && row.row === caret.row
        ? this.#caretRow(row, inner, look.theme)
        : this.#row(rows.text(row), inner, look.theme),
    );
    const last = window.at(-1) ?? this.#top;
    return { above: this.#hiddenAbove(), below: this.#hiddenBelow(last), body };
  }

  /** The rows that are shown; the window moves no more than the caret makes it. */
  #window(count: number): RowPlace[] {
    const { rows, buffer } = this.#draft;
    const caret = rows.rowOf(buffer.caret);
    const isBefore = caret.line < this.#top.line || (caret.line === this.#top.line && caret.row < this.#top.row);
    if (isBefore || rows.start(this.#top) === undefined) this.#top = caret;
    // The first row that leaves room for the caret's row below it.
    let first = caret;
    for (let at = 1; at < count && !isSame(first, this.#top); at += 1) first = rows.above(first) ?? first;
    if (!isSame(first, this.#top)) this.#top = first;
    const window = [this.#top];
    for (let next = rows.below(this.#top); next && window.length < count; next = rows.below(next)) window.push(next);
    // No empty room below while there are rows above.
    for (let before = rows.above(this.#top); before && window.length < count; before = rows.above(before)) {
      window.unshift(before);
      this.#top = before;
    }
    return window;
  }

  #hiddenAbove(): string {
    let count = this.#top.row;
    for (let line = this.#top.line - 1; line >= 0 && count <= MOST_COUNTED; line -= 1)
      count += this.#draft.rows.count(line);
    return counted(count);
  }

  #hiddenBelow(last: RowPlace): string {
    const { rows } = this.#draft;
    let count = 0;
    for (let next = rows.below(last); next && count <= MOST_COUNTED; next = rows.below(next)) count += 1;
    return counted(count);
  }

  #row(text: string, inner: number, theme: Theme): string {
    const { columns } = this.#draft;
    return columns.fit(
      columns.draw(text, (label) => theme.fg('accent', label)),
      inner,
    );
  }

  #caretRow(row: RowPlace, inner: number, theme: Theme): string {
    const { rows, buffer } = this.#draft;
    const text = rows.text(row);
    const offset = buffer.caret.offset - (rows.start(row) ?? 0);
    const whole = this.#row(text, inner, theme);
    const before = this.#draft.columns.draw(text.slice(0, offset), (label) => theme.fg('accent', label));
    // Where columns are scarce the row is cut, and the caret stays inside it.
    if (!whole.startsWith(before)) return whole + CURSOR_MARKER;
    return before + CURSOR_MARKER + whole.slice(before.length);
  }

  /** The prompt that would be taken, in place of the draft. */
  #preview(search: HistorySearch, inner: number, look: EditorLook): { above: string; below: string; body: string[] } {
    const most = Math.max(1, Math.floor(look.maxRows));
    const match = this.#draft.clean((search.match ?? this.#draft.shown).slice(0, most * inner * 2));
    const rows = match.split('\n', most).flatMap((line) => this.#text.wrap(line, inner));
    return { above: '', below: '', body: rows.slice(0, most).map((row) => this.#draft.columns.fit(row, inner)) };
  }

  #searchRow(search: HistorySearch, width: number, look: EditorLook): string {
    const title = look.theme.fg('muted', 'search: ');
    const words = this.#draft.columns.oneLine(search.words, 10_000);
    const place = look.theme.fg('dim', ` ${search.place}`);
    const room = width - this.#text.width(title) - this.#text.width(place) - 1;
    if (room < 1) return this.#tail(words, width) + CURSOR_MARKER;
    return `${title}${this.#tail(words, room)}${CURSOR_MARKER}${place}`;
  }

  /** The end of a text that is too long. */
  #tail(text: string, width: number): string {
    const columns = this.#text.width(text);
    return columns <= width ? text : this.#text.slice(text, columns - width, columns);
  }

  #border(width: number, hint: string, badge: string, look: EditorLook): string {
    const { theme } = look;
    const words = [hint, badge].filter((word) => word !== '').join(' ─ ');
    const rest = width - this.#text.width(words) - 4;
    if (words === '' || rest < 1) return theme.fg(look.border, '─'.repeat(width));
    return theme.fg(look.border, '── ') + theme.fg('muted', words) + theme.fg(look.border, ` ${'─'.repeat(rest)}`);
  }

  #popupRows(popup: Popup | undefined, width: number, look: EditorLook, taken: number): string[] {
    if (!popup) return [];
    // The last row has the count.
    const most = Math.max(1, Math.min(MOST_POPUP_ROWS, look.maxAllRows - taken - 1));
    const first = Math.max(0, Math.min(popup.selected - (most >> 1), popup.items.length - most));
    const shown = popup.items.slice(first, first + most);
    const labels = shown.map((item) => this.#draft.columns.oneLine(item.label, Math.max(1, width - 2)));
    const labelWidth = Math.min(Math.max(...labels.map((label) => this.#text.width(label))), Math.ceil(width / 2));
    const rows = shown.map((item, at) =>
      this.#itemRow(item, labels[at] ?? '', labelWidth, first + at === popup.selected, width, look.theme),
    );
    const more = popup.items.length > shown.length ? ` ${popup.selected + 1}/${popup.items.length}` : '';
    return more === '' ? rows : [...rows, look.theme.fg('dim', this.#draft.columns.fit(more, width))];
  }

  #itemRow(
    item: CompletionItem,
    label: string,
    labelWidth: number,
    isSelected: boolean,
    width: number,
    theme: Theme,
  ): string {
    const { columns } = this.#draft;
    const padding = ' '.repeat(Math.max(0, labelWidth - this.#text.width(label)));
    const used = 2 + Math.max(labelWidth, this.#text.width(label)) + 2;
    const detail = item.detail && width - used > 3 ? columns.oneLine(item.detail, width - used) : '';
    const head = columns.fit(`${isSelected ? '→' : ' '} ${label}`, width);
    const tail = detail === '' ? '' : `${padding}  ${theme.fg('muted', detail)}`;
    return (isSelected ? theme.fg('accent', head) : head) + tail;
  }
}

const counted = (count: number): string =>
  count > MOST_COUNTED ? `${MOST_COUNTED}+` : count === 0 ? '' : String(count);

const isSame = (a: RowPlace, b: RowPlace): boolean => a.line === b.line && a.row === b.row;
