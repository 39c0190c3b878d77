/** Settings to look at and change: switches, choices, texts. */
import type { Component } from '@tenon/screen';
import { LineInput } from '../editor/line-input.ts';
import type { SelectItem } from './item-filter.ts';
import { keyHints, listAction } from './list-actions.ts';
import { fit, type ListLook, plainRow } from './look.ts';
import { SelectList } from './select-list.ts';

/** One setting. */
export interface SettingItem {
  readonly key: string;
  /** What it is called; the key unless given. */
  readonly label?: string;
  readonly group?: string;
  readonly description?: string;
  /** The value as it is shown and edited. */
  readonly value: string;
  /** Where the value comes from, at the right end of the row. */
  readonly hint?: string;
  /** How it is edited: Enter switches `boolean`, opens a list of `choices`, or a line for text. */
  readonly kind: 'boolean' | 'text' | { readonly choices: readonly string[] };
}

/** How settings are shown and changed. */
export interface SettingsListOptions {
  readonly look: ListLook;
  readonly items: readonly SettingItem[];
  readonly title?: string;
  readonly maxRows?: number;
  /** Changes a setting; gives why it could not, or nothing. Undefined sets it back. */
  onChange(key: string, value: string | undefined): Promise<string | undefined>;
  onCancel(): void;
  requestFrame(): void;
}

/** Rows below the list: description, notice. */
const DESCRIPTION_ROWS = 3;

/** A list of settings. */
export class SettingsList implements Component {
  /** Esc leaves a value first. */
  readonly ownsEscape = true;
  readonly #options: SettingsListOptions;
  readonly #list: SelectList<SettingItem>;
  #choices: SelectList<string> | undefined;
  #line: { readonly item: SettingItem; readonly input: LineInput } | undefined;
  #notice = '';

  constructor(options: SettingsListOptions) {
    this.#options = options;
    this.#list = new SelectList<SettingItem>({
      look: options.look,
      items: options.items.map(asItem),
      ...(options.title !== undefined && { title: options.title }),
      ...(options.maxRows !== undefined && { maxRows: options.maxRows }),
      keepsOrder: false,
      footer: () =>
        [
          keyHints(options.look, [
            ['list.choose', 'change'],
            ['list.setBack', 'set back'],
          ]),
          'type to find',
          keyHints(options.look, [['list.close', 'close']]),
        ].join(' · '),
      onChoose: ({ value }) => this.#edit(value),
      onCancel: () => options.onCancel(),
      onKey: (_name, item, data) => {
        const isSetBack = listAction(options.look, data) === 'list.setBack';
        if (isSetBack && item) void this.#change(item.value, undefined);
        return isSetBack;
      },
      onMove: () => (this.#notice = ''),
    });
  }

  /** Shows other values. */
  setItems(items: readonly SettingItem[]): void {
    this.#list.setItems(items.map(asItem), (a, b) => a.key === b.key);
  }

  handleInput(data: string): void {
    if (this.#choices) return this.#choices.handleInput(data);
    if (!this.#line) return this.#list.handleInput(data);
    const { item, input } = this.#line;
    const action = listAction(this.#options.look, data);
    if (action === 'list.close') this.#line = undefined;
    else if (action === 'list.choose') {
      this.#line = undefined;
      void this.#change(item, input.text);
    } else input.handleInput(data);
  }

  #edit(item: SettingItem): void {
    if (item.kind === 'boolean') void this.#change(item, item.value === 'true' ? 'false' : 'true');
    else if (item.kind === 'text') this.#line = { item, input: this.#inputFor(item.value) };
    else this.#choices = this.#choicesOf(item, item.kind.choices);
  }

  #inputFor(value: string): LineInput {
    const { look } = this.#options;
    const input = new LineInput({ text: look.text, theme: () => look.theme });
    input.text = value;
    return input;
  }

  #choicesOf(item: SettingItem, choices: readonly string[]): SelectList<string> {
    return new SelectList<string>({
      look: this.#options.look,
      title: item.label ?? item.key,
      items: choices.map((value) => ({ value, label: value, isCurrent: value === item.value })),
      ...(this.#options.maxRows !== undefined && { maxRows: this.#options.maxRows }),
      footer: () =>
        keyHints(this.#options.look, [
          ['list.choose', 'take'],
          ['list.close', 'back'],
        ]),
      onChoose: ({ value }) => {
        this.#choices = undefined;
        void this.#change(item, value);
      },
      onCancel: () => (this.#choices = undefined),
    });
  }

  async #change({ key }: SettingItem, value: string | undefined): Promise<void> {
    try {
      this.#notice = (await this.#options.onChange(key, value)) ?? '';
    } catch (fault) {
      // Whoever typed the value is the one to be told.
      this.#notice = fault instanceof Error ? fault.message : String(fault);
    }
    this.#options.requestFrame();
  }

  spoken(): string | undefined {
    if (this.#choices) return this.#choices.spoken();
    if (this.#line) return undefined;
    const about = this.#notice === '' ? this.#list.selected?.value.description : this.#notice;
    const words = plainRow(this.#options.look.text, about ?? '');
    return words === '' ? this.#list.spoken() : `${this.#list.spoken()}. ${words}`;
  }

  render(width: number): string[] {
    const columns = Math.max(1, width);
    if (this.#choices) return this.#choices.render(columns);
    const { theme, text } = this.#options.look;
    const rows = this.#list.render(columns);
    const foot = rows.pop() ?? '';
    const item = this.#list.selected?.value;
    rows.push(...this.#about(item, columns));
    if (this.#line) {
      const name = theme.fg('accent', `${fit(text, plainRow(text, this.#line.item.key), columns >> 1)} = `);
      const room = Math.max(1, columns - text.width(name));
      rows.push(fit(text, name + (this.#line.input.render(room)[0] ?? ''), columns));
    } else rows.push(foot);
    return rows;
  }

  /** The description, or why a change was refused, always as many rows. */
  #about(item: SettingItem | undefined, width: number): string[] {
    const { theme, text } = this.#options.look;
    const words = plainRow(text, this.#notice === '' ? (item?.description ?? '') : this.#notice);
    const rows = text.wrap(words, Math.max(1, width - 2)).slice(0, DESCRIPTION_ROWS);
    while (rows.length < DESCRIPTION_ROWS) rows.push('');
    const color = this.#notice === '' ? 'muted' : 'error';
    return rows.map((row) => fit(text, `  ${theme.fg(color, row)}`, width));
  }
}

function asItem(item: SettingItem): SelectItem<SettingItem> {
  const { key, label = key, value, group, hint, description = '' } = item;
  return {
    value: item,
    label,
    detail: value,
    keywords: `${key} ${description}`,
    ...(group !== undefined && { group }),
    ...(hint !== undefined && { hint }),
  };
}
