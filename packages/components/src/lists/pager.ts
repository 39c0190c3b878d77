/** Rows to read: scrolling, search, and a counter. Rows are asked for when they are seen. */
import type { Component } from '@tenon/screen';
import { LineInput } from '../editor/line-input.ts';
import { keyHints, listAction, type PagerAction, pagerAction, shownKey } from './list-actions.ts';
import { keyName, typedText } from './list-keys.ts';
import { bothEnds, fit, type ListLook, plainRow } from './look.ts';
import { findRow, hitColumns } from './pager-search.ts';

/** Rows of one width, by index. */
export interface PagerRows {
  readonly length: number;
  row(index: number): string;
}

/** How a pager is made. */
export interface PagerOptions {
  readonly look: ListLook;
  readonly title?: string;
  /** The rows for this many columns; asked again only for another width and after `invalidate`. */
  rows(width: number): PagerRows;
  /** Rows of the screen that it may use, its own two included. */
  height(): number;
  onClose(): void;
  /** Needed for the search in long texts, which ends later. */
  requestFrame?(): void;
  /** Where it begins; at the end unless given. */
  readonly start?: 'top' | 'end';
  /** More keys, by name or by what they type (`e`); true keeps them from the pager. */
  onKey?(name: string): boolean;
  /** What further keys do, for the last row. */
  readonly footer?: string;
}

/** A pager. */
export class Pager implements Component {
  /** Esc ends the search first. */
  readonly ownsEscape = true;
  readonly #options: PagerOptions;
  readonly #query: LineInput;
  #rows: PagerRows | undefined;
  #width = 0;
  #top: number | undefined;
  #isTyping = false;
  #needle = '';
  #notice = '';
  #searching: AbortController | undefined;

  constructor(options: PagerOptions) {
    this.#options = options;
    const { look } = options;
    this.#query = new LineInput({ text: look.text, theme: () => look.theme });
    if (options.start === 'top') this.#top = 0;
  }

  /** The first row that is seen, counted from 0. */
  get top(): number {
    return Math.min(this.#top ?? Infinity, this.#most);
  }

  get #page(): number {
    return Math.max(1, this.#options.height() - 2);
  }

  get #most(): number {
    return Math.max(0, (this.#rows?.length ?? 0) - this.#page);
  }

  invalidate(): void {
    this.#rows = undefined;
  }

  handleInput(data: string): void {
    if (this.#isTyping) return this.#type(data);
    this.#notice = '';
    const name = keyName(data);
    if (this.#options.onKey?.(name ?? typedText(data))) return;
    if (name === 'escape' && this.#needle !== '') return this.#endSearch();
    const action = pagerAction(this.#options.look, data);
    if (action === 'pager.close') this.#close();
    else if (action === 'pager.search') {
      this.#isTyping = true;
      this.#query.text = '';
    } else if (action === 'pager.next') void this.#search(1, this.top + 1);
    else if (action === 'pager.previous') void this.#search(-1, this.top - 1);
    else if (action) this.#scroll(action);
  }

  #scroll(action: PagerAction): void {
    const page = this.#page;
    const steps: Readonly<Partial<Record<PagerAction, number>>> = {
      'pager.up': -1,
      'pager.down': 1,
      'pager.pageUp': -page,
      'pager.pageDown': page,
      'pager.halfUp': -Math.ceil(page / 2),
      'pager.halfDown': Math.ceil(page / 2),
      'pager.top': -Infinity,
      'pager.end': Infinity,
    };
    const step = steps[action];
    if (step !== undefined) this.#show(this.top + step);
  }

  #show(row: number): void {
    // Undefined is the end, wherever it moves to.
    this.#top = row >= this.#most ? undefined : Math.max(0, row);
  }

  #type(data: string): void {
    const action = listAction(this.#options.look, data);
    if (action === 'list.close') this.#isTyping = false;
    else if (action === 'list.choose') {
      this.#isTyping = false;
      this.#needle = this.#query.text.toLowerCase();
      void this.#search(1, this.top);
    } else this.#query.handleInput(data);
  }

  #endSearch(): void {
    this.#searching?.abort();
    this.#needle = '';
  }

  #close(): void {
    this.#searching?.abort();
    this.#options.onClose();
  }

  async #search(step: 1 | -1, from: number): Promise<void> {
    const rows = this.#rows;
    this.#searching?.abort();
    if (this.#needle === '' || !rows) return;
    const controller = new AbortController();
    this.#searching = controller;
    this.#notice = 'searching…';
    const { text } = this.#options.look;
    try {
      const found = await findRow(rows, this.#needle, { from, step, text, signal: controller.signal });
      if (controller.signal.aborted) return;
      this.#notice = found === undefined ? 'not found' : '';
      if (found !== undefined) this.#top = Math.min(found, this.#most);
    } catch (fault) {
      // A row that cannot be made ends the search; the reason stands where its result would.
      this.#notice = fault instanceof Error ? fault.message : String(fault);
    }
    this.#options.requestFrame?.();
  }

  render(width: number): string[] {
    const columns = Math.max(1, width);
    const { look, title = '' } = this.#options;
    const { theme, text } = look;
    if (!this.#rows || this.#width !== columns) {
      this.#rows = this.#options.rows(columns);
      this.#width = columns;
    }
    const rows = this.#rows;
    const { top } = this;
    const last = Math.min(rows.length, top + this.#page);
    const shown: string[] = [];
    for (let at = top; at < last; at += 1) shown.push(this.#row(rows.row(at), columns));
    while (shown.length < this.#page) shown.push('');
    const counter = `${rows.length === 0 ? 0 : top + 1}-${last}/${rows.length}`;
    const head = theme.bold(theme.fg('accent', plainRow(text, title)));
    return [bothEnds(text, head, theme.fg('dim', counter), columns), ...shown, this.#lastRow(columns)];
  }

  #row(row: string, width: number): string {
    const { theme, text } = this.#options.look;
    const safe = fit(text, text.sanitize(row, { keepStyle: true }).replaceAll(/[\n\t]/g, ' '), width);
    let out = '';
    let done = 0;
    for (const [from, to] of hitColumns(safe, this.#needle, text)) {
      const hit = text.sanitize(text.slice(safe, from, to), { keepStyle: false });
      out += text.slice(safe, done, from) + theme.inverse(hit);
      done = to;
    }
    return done === 0 ? safe : out + text.slice(safe, done, width);
  }

  #lastRow(width: number): string {
    const { look, footer } = this.#options;
    const { theme, text } = look;
    if (this.#isTyping)
      return fit(text, theme.fg('accent', '/') + (this.#query.render(Math.max(1, width - 1))[0] ?? ''), width);
    const help = helpOf(look);
    const keys = footer === undefined ? help : `${plainRow(text, footer)} · ${help}`;
    return fit(
      text,
      this.#notice === '' ? theme.fg('dim', keys) : theme.fg('warning', plainRow(text, this.#notice)),
      width,
    );
  }
}

/** What keys do: `↑↓ scroll · / search · n N next, previous · g G ends · q close`. */
function helpOf(look: ListLook): string {
  const pair = (first: string, second: string, words: string, joint = ' ') => {
    const keys = [first, second].map((action) => shownKey(look, action)).filter((key) => key !== undefined);
    return keys.length === 0 ? [] : [`${keys.join(joint)} ${words}`];
  };
  const parts = [
    ...pair('pager.up', 'pager.down', 'scroll', ''),
    keyHints(look, [['pager.search', 'search']]),
    ...pair('pager.next', 'pager.previous', 'next, previous'),
    ...pair('pager.top', 'pager.end', 'ends'),
    keyHints(look, [['pager.close', 'close']]),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
