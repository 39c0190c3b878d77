/** Lists of pi-tui: one to choose from, and one of settings. */
import { fuzzyFilter } from './fuzzy.ts';
import { getEditorKeybindings } from './keybindings.ts';
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from './text-width.ts';
import { type Drawable, Part, type Style } from './tui-basics.ts';
import { Input } from './tui-input.ts';

const isKey = (data: string, action: string): boolean => getEditorKeybindings().matches(data, action);

interface Item {
  readonly value: string;
  readonly label?: string;
  readonly description?: string;
}

type ListTheme = Partial<Record<'selectedPrefix' | 'selectedText' | 'description' | 'scrollInfo' | 'noMatch', Style>>;

/** From where on a window of `room` entries shows the chosen one. */
function windowStart(at: number, count: number, room: number): number {
  return Math.max(0, Math.min(at - Math.floor(room / 2), count - room));
}

/** A list to choose from. */
export class SelectList extends Part {
  onSelect: ((item: Item) => void) | undefined;
  onCancel: (() => void) | undefined;
  onSelectionChange: ((item: Item) => void) | undefined;
  readonly #items: readonly Item[];
  #shown: readonly Item[];
  readonly #room: number;
  readonly #theme: ListTheme;
  #at = 0;
  constructor(items: readonly Item[] = [], visible = 10, theme: ListTheme = {}) {
    super();
    this.#items = items;
    this.#shown = items;
    this.#room = Math.max(1, visible);
    this.#theme = theme ?? {};
  }
  setFilter(filter: string): void {
    const wanted = filter.toLowerCase();
    this.#shown = this.#items.filter(({ value, label }) =>
      [value, label ?? ''].some((text) => text.toLowerCase().includes(wanted)),
    );
    this.#at = 0;
  }
  setSelectedIndex(index: number): void {
    this.#at = Math.max(0, Math.min(index, this.#shown.length - 1));
  }
  getSelectedItem(): Item | null {
    return this.#shown[this.#at] ?? null;
  }
  override handleInput(data: string): void {
    const count = this.#shown.length;
    const move = (to: number) => {
      if (count === 0) return;
      this.#at = to;
      const item = this.getSelectedItem();
      if (item) this.onSelectionChange?.(item);
    };
    if (isKey(data, 'selectUp')) move((this.#at - 1 + count) % count);
    else if (isKey(data, 'selectDown')) move((this.#at + 1) % count);
    else if (isKey(data, 'selectPageUp')) move(Math.max(0, this.#at - this.#room));
    else if (isKey(data, 'selectPageDown')) move(Math.min(count - 1, this.#at + this.#room));
    else if (isKey(data, 'selectCancel')) this.onCancel?.();
    else if (isKey(data, 'selectConfirm')) {
      const item = this.getSelectedItem();
      if (item) this.onSelect?.(item);
    }
  }
  override render(width: number): string[] {
    const { noMatch = String, scrollInfo = String } = this.#theme;
    const count = this.#shown.length;
    if (count === 0) return [noMatch(truncateToWidth('  No matching entries', width))];
    const start = windowStart(this.#at, count, this.#room);
    const seen = this.#shown.slice(start, start + this.#room);
    const column = Math.min(32, Math.max(...this.#shown.map((item) => visibleWidth(labelOf(item))))) + 2;
    const rows = seen.map((item, index) => this.#row(item, start + index === this.#at, column, width));
    if (count > this.#room) rows.push(scrollInfo(truncateToWidth(`  (${this.#at + 1}/${count})`, width)));
    return rows;
  }
  #row(item: Item, isChosen: boolean, column: number, width: number): string {
    const { selectedText = String, description = String } = this.#theme;
    const label = truncateToWidth(labelOf(item), Math.max(1, width - 2));
    const about = item.description?.replaceAll(/\s+/g, ' ') ?? '';
    const gap = ' '.repeat(Math.max(1, column - visibleWidth(label)));
    const room = width - 2 - visibleWidth(label) - gap.length;
    const more = about !== '' && width > 40 && room > 10 ? `${gap}${truncateToWidth(about, room)}` : '';
    return isChosen ? selectedText(`→ ${label}${more}`) : `  ${label}${more === '' ? '' : description(more)}`;
  }
}

function labelOf({ label, value }: Item): string {
  return String(label || value).replaceAll(/\s+/g, ' ');
}

interface Setting {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  currentValue: string;
  readonly values?: readonly string[];
  readonly submenu?: (current: string, done: (value?: string) => void) => Drawable;
}

interface SettingsTheme {
  readonly label?: (text: string, isChosen: boolean) => string;
  readonly value?: (text: string, isChosen: boolean) => string;
  readonly description?: Style;
  readonly cursor?: string;
  readonly hint?: Style;
}

/** Settings with their values. */
export class SettingsList extends Part {
  readonly items: readonly Setting[];
  #shown: readonly Setting[];
  readonly #room: number;
  readonly #theme: SettingsTheme;
  readonly #onChange: (id: string, value: string) => void;
  readonly #onCancel: () => void;
  readonly #search: Input | undefined;
  #submenu: Drawable | undefined;
  #at = 0;
  constructor(
    items: readonly Setting[] = [],
    visible = 10,
    theme: SettingsTheme = {},
    onChange: (id: string, value: string) => void = () => undefined,
    onCancel: () => void = () => undefined,
    options: { readonly enableSearch?: boolean } = {},
  ) {
    super();
    this.items = items;
    this.#shown = items;
    this.#room = Math.max(1, visible);
    this.#theme = theme ?? {};
    this.#onChange = onChange;
    this.#onCancel = onCancel;
    this.#search = options.enableSearch === true ? new Input() : undefined;
  }
  updateValue(id: string, value: string): void {
    for (const item of this.items) if (item.id === id) item.currentValue = value;
  }
  override invalidate(): void {
    this.#submenu?.invalidate?.();
  }
  override handleInput(data: string): void {
    if (this.#submenu) return this.#submenu.handleInput?.(data);
    const count = this.#shown.length;
    if (isKey(data, 'selectUp')) this.#at = count === 0 ? 0 : (this.#at - 1 + count) % count;
    else if (isKey(data, 'selectDown')) this.#at = count === 0 ? 0 : (this.#at + 1) % count;
    else if (isKey(data, 'selectCancel')) this.#onCancel();
    else if (isKey(data, 'selectConfirm') || (data === ' ' && !this.#search)) this.#choose();
    else if (this.#search) {
      this.#search.handleInput(data);
      this.#shown = fuzzyFilter(this.items, this.#search.getValue(), ({ label }) => label);
      this.#at = 0;
    }
  }
  #choose(): void {
    const item = this.#shown[this.#at];
    if (!item) return;
    if (item.submenu) {
      this.#submenu = item.submenu(item.currentValue, (value) => {
        this.#submenu = undefined;
        if (value !== undefined) this.#change(item, value);
      });
    } else if (item.values && item.values.length > 0) {
      const next = (item.values.indexOf(item.currentValue) + 1) % item.values.length;
      this.#change(item, item.values[next] ?? item.currentValue);
    }
  }
  #change(item: Setting, value: string): void {
    item.currentValue = value;
    this.#onChange(item.id, value);
  }
  override render(width: number): string[] {
    if (this.#submenu) return this.#submenu.render(width);
    const { label = String, value = String, description = String, cursor = '→ ', hint = String } = this.#theme;
    const rows = this.#search ? [...this.#search.render(width), ''] : [];
    const column = Math.min(30, Math.max(0, ...this.items.map((item) => visibleWidth(item.label))));
    const start = windowStart(this.#at, this.#shown.length, this.#room);
    const none = this.#shown.length === 0 ? [hint('  No settings')] : [];
    const entries = this.#shown.slice(start, start + this.#room).map((item, index) => {
      const isChosen = start + index === this.#at;
      const name = item.label + ' '.repeat(Math.max(0, column - visibleWidth(item.label)));
      const room = Math.max(1, width - visibleWidth(name) - 4);
      const prefix = isChosen ? cursor : '  ';
      return truncateToWidth(
        `${prefix}${label(name, isChosen)}  ${value(truncateToWidth(item.currentValue, room), isChosen)}`,
        width,
      );
    });
    const about = this.#shown[this.#at]?.description;
    const lines = about === undefined ? [] : ['', ...wrapTextWithAnsi(about, Math.max(1, width - 4))];
    const keys = this.#search
      ? 'Type to search · Enter to change · Esc to cancel'
      : 'Enter/Space to change · Esc to cancel';
    return [
      ...rows,
      ...none,
      ...entries,
      ...lines.map((line) => (line === '' ? '' : description(`  ${line}`))),
      '',
      hint(truncateToWidth(`  ${keys}`, width)),
    ];
  }
}
