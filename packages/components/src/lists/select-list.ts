/** A list to choose from: type to filter, move, take. */
import type { Component } from '@tenon/screen';
import { markHits } from './fuzzy.ts';
import { ItemFilter, type ListRow, type SelectItem } from './item-filter.ts';
import { LateSearch } from './late-search.ts';
import { listAction } from './list-actions.ts';
import { keyName } from './list-keys.ts';
import { ListWindow } from './list-window.ts';
import { bothEnds, emptyText, fit, type ListLook, padded, plainRow, spokenEntry } from './look.ts';
import { Preview } from './preview.ts';
import { QueryLine } from './query-line.ts';

/** How a list is made. */
export interface SelectListOptions<T> {
  readonly look: ListLook;
  readonly items: readonly SelectItem<T>[];
  readonly title?: string;
  /** What stands in place of the items when there are none. */
  readonly empty?: string;
  /** How many rows of items are shown at most; 10 unless given. */
  readonly maxRows?: number;
  /** False for short questions: typing does nothing then. */
  readonly hasFilter?: boolean;
  /** True when items stay in their order while a filter is typed; otherwise the best comes first. */
  readonly keepsOrder?: boolean;
  /** The last row: what keys do. */
  footer?(): string;
  onChoose(item: SelectItem<T>): void;
  onCancel?(): void;
  /** The selection went to another item. */
  onMove?(item: SelectItem<T> | undefined): void;
  /** Sees keys that type nothing before the list does, by name (`ctrl+r`) and as they came; true keeps them from it. */
  onKey?(name: string, item: SelectItem<T> | undefined, data: string): boolean;
  /** Rows about an item, shown below the list. */
  preview?(value: T, signal: AbortSignal): Promise<readonly string[]>;
  /** How many rows the preview has; 8 unless given. */
  readonly previewRows?: number;
  /** Finds more items than the filter does, for instance by what is in files. Asked when typing rests. */
  search?(query: string, signal: AbortSignal): Promise<ReadonlySet<T>>;
  /** Needed with `preview` and `search`: what they find comes later. */
  requestFrame?(): void;
}

/** Rows of a question; more is no question. */
const MOST_TITLE_ROWS = 12;

/** A list with a filter. */
export class SelectList<T> implements Component {
  readonly #options: SelectListOptions<T>;
  readonly #filter: ItemFilter<T>;
  readonly #window = new ListWindow();
  readonly #query = new QueryLine();
  readonly #preview: Preview<T> | undefined;
  readonly #search: LateSearch<T> | undefined;
  #title: string | undefined;

  constructor(options: SelectListOptions<T>) {
    this.#options = options;
    this.#title = options.title;
    this.#filter = new ItemFilter(options.items, options.keepsOrder ?? false);
    const current = options.items.findIndex(({ isCurrent }) => isCurrent === true);
    this.#window.select(Math.max(0, current), options.items.length);
    const { preview } = options;
    if (preview)
      this.#preview = new Preview(
        (value, signal) => preview(value, signal),
        () => options.requestFrame?.(),
      );
    const { search } = options;
    if (search) this.#search = new LateSearch(search.bind(options), (found) => this.#found(found));
    this.#preview?.want(this.selected?.value);
  }

  get selected(): SelectItem<T> | undefined {
    return this.#filter.itemAt(this.#window.selected);
  }

  get query(): string {
    return this.#query.value;
  }

  set title(title: string | undefined) {
    this.#title = title;
  }

  /** Shows other items; the selection stays on the same value if it is there, else on its place. */
  setItems(items: readonly SelectItem<T>[], isSame: (a: T, b: T) => boolean = Object.is): void {
    const before = this.selected;
    this.#filter.setItems(items);
    const { matches } = this.#filter;
    const at = before ? matches.findIndex((index) => isSame((items[index] as SelectItem<T>).value, before.value)) : -1;
    this.#window.select(at >= 0 ? at : this.#window.selected, matches.length);
    this.#preview?.want(this.selected?.value, true);
  }

  /** Selects the first item for which this holds. */
  select(matches: (value: T) => boolean): void {
    const at = this.#filter.matches.findIndex((index) => {
      const item = this.#filter.item(index);
      return item !== undefined && matches(item.value);
    });
    if (at >= 0) this.#window.select(at, this.#filter.matches.length);
    this.#preview?.want(this.selected?.value);
  }

  /** Stops what goes on in the background; for lists that are closed. */
  stop(): void {
    this.#preview?.stop();
    this.#search?.stop();
  }

  invalidate(): void {
    this.#preview?.want(this.selected?.value, true);
  }

  handleInput(data: string): void {
    const name = keyName(data);
    if (name !== undefined && this.#options.onKey?.(name, this.selected, data)) return;
    const action = listAction(this.#options.look, data);
    if (action === 'list.close') {
      this.stop();
      return this.#options.onCancel?.();
    }
    if (action === 'list.choose') return this.#choose();
    if (this.#window.move(action, this.#filter.matches.length, this.#height - 1)) return this.#moved();
    if (this.#options.hasFilter !== false && this.#query.handleInput(data, action)) this.#typed();
  }

  #choose(): void {
    const item = this.selected;
    if (!item) return;
    this.stop();
    this.#options.onChoose(item);
  }

  #typed(): void {
    this.#filter.setQuery(this.#query.value);
    this.#window.select(0, this.#filter.matches.length);
    this.#search?.want(this.#query.value.trim());
    this.#moved();
  }

  #moved(): void {
    this.#preview?.want(this.selected?.value);
    this.#options.onMove?.(this.selected);
  }

  #found(values: ReadonlySet<T>): void {
    const before = this.selected;
    this.#filter.setExtra(values);
    const at = this.#filter.matches.findIndex((index) => this.#filter.item(index) === before);
    this.#window.select(Math.max(0, at), this.#filter.matches.length);
    this.#preview?.want(this.selected?.value);
    this.#options.requestFrame?.();
  }

  get #height(): number {
    return Math.max(1, this.#options.maxRows ?? 10);
  }

  render(width: number): string[] {
    const { look, footer, hasFilter = true } = this.#options;
    const { theme, text } = look;
    const columns = Math.max(1, width);
    const rows = hasFilter ? this.#filterRows(columns) : this.#questionRows(columns);
    rows.push(...this.#itemRows(columns));
    rows.push(...this.#previewRows(columns));
    const last = footer?.call(this.#options) ?? '';
    if (last !== '') rows.push(fit(text, theme.fg('dim', plainRow(text, last)), columns));
    return rows;
  }

  spoken(): string {
    const { look, empty } = this.#options;
    const item = this.selected;
    if (!item) return plainRow(look.text, emptyText(this.#query.value, empty));
    const parts = [item.label, item.detail, item.isCurrent ? 'in use' : undefined, this.#hint(item)];
    return spokenEntry(look.text, parts, this.#window.selected, this.#filter.matches.length);
  }

  #filterRows(width: number): string[] {
    const { theme, text } = this.#options.look;
    const count = this.#filter.matches.length;
    const counter = count === 0 ? '0' : `${this.#window.selected + 1}/${count}`;
    const title = theme.bold(theme.fg('accent', plainRow(text, this.#title ?? '')));
    const query = theme.fg('accent', '> ') + this.#query.render(text, Math.max(1, width - 2));
    return [bothEnds(text, title, theme.fg('dim', counter), width), fit(text, query, width)];
  }

  /** A question is never cut where that would change its meaning. */
  #questionRows(width: number): string[] {
    const { theme, text } = this.#options.look;
    const title = plainRow(text, this.#title ?? '');
    if (title === '') return [];
    const rows = text.wrap(title, width);
    const shown = rows.length > MOST_TITLE_ROWS ? [...rows.slice(0, MOST_TITLE_ROWS - 1), '…'] : rows;
    return shown.map((row) => fit(text, theme.bold(theme.fg('accent', row)), width));
  }

  #itemRows(width: number): string[] {
    const { look, empty } = this.#options;
    const { theme, text } = look;
    const { rows } = this.#filter;
    if (rows.length === 0)
      return [fit(text, `  ${theme.fg('muted', plainRow(text, emptyText(this.#query.value, empty)))}`, width)];
    const height = Math.min(this.#height, rows.length);
    const selectedRow = this.#filter.rowOf(this.#window.selected);
    // The name of a group is seen with its first item.
    const first = rows[selectedRow - 1];
    const wanted = first && 'group' in first && height > 1 ? selectedRow - 1 : selectedRow;
    const top = this.#window.top(wanted, rows.length, height);
    const shown = rows.slice(top, top + height);
    const labels = this.#labelWidth(shown, width);
    return shown.map((row, at) => this.#row(row, top + at === selectedRow, labels, width));
  }

  /** Details begin in one column, unless labels are long. */
  #labelWidth(rows: readonly ListRow[], width: number): number {
    const { text } = this.#options.look;
    const most = Math.floor(width * 0.45);
    const widths = rows.map((row) => {
      const item = 'item' in row ? this.#filter.item(row.item) : undefined;
      return item?.detail === undefined ? 0 : text.width(plainRow(text, item.label)) + (item.isCurrent ? 2 : 0);
    });
    return Math.min(most, Math.max(0, ...widths));
  }

  #row(row: ListRow, isSelected: boolean, labels: number, width: number): string {
    const { theme, text } = this.#options.look;
    if ('group' in row) return fit(text, theme.fg('muted', plainRow(text, row.group)), width);
    const item = this.#filter.item(row.item);
    if (!item) return '';
    const mark = (part: string) => theme.bold(theme.fg('accent', part));
    const label = markHits(plainRow(text, item.label), this.#filter.words, mark);
    const colored = item.isMuted ? theme.fg('muted', label) : isSelected ? theme.bold(label) : label;
    const current = item.isCurrent ? ` ${theme.fg('success', '✓')}` : '';
    const name = colored + current;
    const detail = item.detail === undefined ? '' : plainRow(text, item.detail);
    const left =
      (isSelected ? theme.fg('accent', '❯ ') : '  ') +
      (detail === ''
        ? name
        : `${padded(text, name, labels)}  ${theme.fg('muted', markHits(detail, this.#filter.words, mark))}`);
    const whole = bothEnds(text, left, theme.fg('dim', plainRow(text, this.#hint(item))), width);
    return isSelected ? theme.bg('selectedBg', padded(text, whole, width)) : whole;
  }

  /** Where items are not under the names of their groups, they carry them. */
  #hint({ hint, group }: SelectItem<T>): string {
    const isSorted = this.#filter.words.length > 0 && !this.#options.keepsOrder;
    return [isSorted ? group : undefined, hint].filter(Boolean).join('  ');
  }

  #previewRows(width: number): string[] {
    const item = this.selected;
    if (!this.#preview || !item) return [];
    const { look, previewRows = 8 } = this.#options;
    const { theme } = look;
    const rows = (this.#preview.rows(item.value) ?? ['…']).slice(0, previewRows);
    const blank = Array.from({ length: previewRows - rows.length }, () => '');
    // The pane keeps its height, so that the rows above it stand still.
    return [theme.fg('borderMuted', '─'.repeat(width)), ...[...rows, ...blank].map((row) => this.#safe(row, width))];
  }

  #safe(row: string, width: number): string {
    const { text } = this.#options.look;
    return fit(text, text.sanitize(row, { keepStyle: true }).replaceAll(/[\n\t]/g, ' '), width);
  }
}
