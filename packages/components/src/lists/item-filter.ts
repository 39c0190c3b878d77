/** Which items of a list fit what was typed, the best first. */
import { type FuzzyQuery, fuzzyQuery, fuzzyScore } from './fuzzy.ts';

/** One thing to choose. */
export interface SelectItem<T> {
  readonly value: T;
  readonly label: string;
  /** Beside the label, muted. */
  readonly detail?: string;
  /** At the right end of the row, where there is room. */
  readonly hint?: string;
  /** Items of one group stand together under its name. */
  readonly group?: string;
  /** Marked as what is used now. */
  readonly isCurrent?: boolean;
  /** More words that the filter finds it by, as they are. */
  readonly keywords?: string;
  /** Shown muted; whoever asks decides what choosing it means. */
  readonly isMuted?: boolean;
}

/** A row of a list: an item by its index, or the name of a group. */
export type ListRow = { readonly item: number } | { readonly group: string };

/** The items that fit a query. */
export class ItemFilter<T> {
  #items: readonly SelectItem<T>[] = [];
  /** What is searched, made when it is needed first. */
  #small: { readonly text: string; readonly more: string }[] | undefined;
  #query = '';
  #words: FuzzyQuery = [];
  #extra: ReadonlySet<T> = new Set();
  #matches: number[] = [];
  #rows: ListRow[] = [];
  #rowOf: number[] = [];
  readonly #keepsOrder: boolean;

  constructor(items: readonly SelectItem<T>[], keepsOrder: boolean) {
    this.#keepsOrder = keepsOrder;
    this.setItems(items);
  }

  get words(): FuzzyQuery {
    return this.#words;
  }

  /** Indices of the items that fit, in the order in which they are shown. */
  get matches(): readonly number[] {
    return this.#matches;
  }

  /** Items and names of groups as rows. */
  get rows(): readonly ListRow[] {
    return this.#rows;
  }

  /** The row of a match, by its place among the matches. */
  rowOf(match: number): number {
    return this.#rowOf[match] ?? 0;
  }

  itemAt(match: number): SelectItem<T> | undefined {
    const index = this.#matches[match];
    return index === undefined ? undefined : this.#items[index];
  }

  item(index: number): SelectItem<T> | undefined {
    return this.#items[index];
  }

  setItems(items: readonly SelectItem<T>[]): void {
    this.#items = items;
    this.#small = undefined;
    this.#apply(undefined);
  }

  /** Filters anew. Letters added at the end can only leave fewer items. */
  setQuery(query: string): void {
    const narrows = this.#query !== '' && query.startsWith(this.#query) && this.#extra.size === 0;
    this.#query = query;
    this.#words = fuzzyQuery(query);
    this.#extra = new Set();
    this.#apply(narrows ? this.#matches : undefined);
  }

  /** Items that fit for another reason, found later; they come last. */
  setExtra(values: ReadonlySet<T>): void {
    this.#extra = values;
    this.#apply(undefined);
  }

  #apply(among: readonly number[] | undefined): void {
    if (this.#words.length === 0) this.#matches = this.#items.map((_, index) => index);
    else this.#matches = this.#ranked(among);
    this.#layOut();
  }

  #ranked(among: readonly number[] | undefined): number[] {
    const small = (this.#small ??= this.#items.map(({ label, detail = '', keywords = '' }) => ({
      text: `${label} ${detail}`.toLowerCase(),
      more: keywords.toLowerCase(),
    })));
    const found: { index: number; score: number }[] = [];
    const look = (index: number) => {
      const { text = '', more = '' } = small[index] ?? {};
      const score = fuzzyScore(this.#words, text, more);
      const item = this.#items[index];
      if (score !== undefined) found.push({ index, score });
      else if (item && this.#extra.has(item.value)) found.push({ index, score: -Infinity });
    };
    if (among) among.forEach(look);
    else for (let index = 0; index < this.#items.length; index += 1) look(index);
    found.sort((a, b) => (this.#keepsOrder ? 0 : b.score - a.score) || a.index - b.index);
    return found.map(({ index }) => index);
  }

  /** Names of groups stand above their items as long as those are in their own order. */
  #layOut(): void {
    const isGrouped = this.#keepsOrder || this.#words.length === 0;
    this.#rows = [];
    this.#rowOf = [];
    let group: string | undefined;
    for (const index of this.#matches) {
      const own = isGrouped ? this.#items[index]?.group : undefined;
      if (own !== undefined && own !== group) this.#rows.push({ group: own });
      group = own;
      this.#rowOf.push(this.#rows.length);
      this.#rows.push({ item: index });
    }
  }
}
