/** The finished rows of a fullscreen: the newest ones, up to a number of bytes; older ones come from the host. */

/** Gives rows that are no longer kept, those that were appended since included. */
export interface OlderRows {
  /** How many rows there were before the first that is appended; rows are counted from 0. */
  readonly count: number;
  /** Rows `from` to `to` (exclusive). */
  read(from: number, to: number): readonly string[];
}

/** About what a string costs beside its characters. */
const ROW_OVERHEAD = 32;

/** Rows by number, from the first that was ever added on. */
export class FinishedRows {
  readonly #limit: number;
  readonly #older: OlderRows | undefined;
  #rows: string[] = [];
  /** Rows at the beginning of `#rows` that were dropped; they are taken out many at a time. */
  #gone = 0;
  /** The number of the first row that is kept. */
  #first = 0;
  #bytes = 0;

  constructor(limit: number, older?: OlderRows) {
    this.#limit = limit;
    this.#older = older;
    this.#first = older?.count ?? 0;
  }

  /** The number of the oldest row that can be shown. */
  get start(): number {
    return this.#older ? 0 : this.#first;
  }

  /** One more than the number of the newest row. */
  get end(): number {
    return this.#first + this.#rows.length - this.#gone;
  }

  /** How many bytes the rows take, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds rows, and drops the oldest that are beyond the limit. */
  add(rows: readonly string[]): void {
    for (const row of rows) {
      this.#rows.push(row);
      this.#bytes += costOf(row);
    }
    while (this.#bytes > this.#limit && this.#rows.length - this.#gone > 1) {
      this.#bytes -= costOf(this.#rows[this.#gone] ?? '');
      this.#rows[this.#gone] = '';
      this.#gone += 1;
      this.#first += 1;
    }
    if (this.#gone > 1000 && this.#gone > this.#rows.length / 2) {
      this.#rows = this.#rows.slice(this.#gone);
      this.#gone = 0;
    }
  }

  /** Rows `from` to `to` (exclusive), as far as there are any. */
  read(from: number, to: number): readonly string[] {
    const start = Math.max(from, this.start);
    const kept = this.#rows.slice(
      this.#gone + Math.max(0, start - this.#first),
      this.#gone + Math.max(0, to - this.#first),
    );
    if (!this.#older || start >= this.#first) return kept;
    return [...this.#older.read(start, Math.min(to, this.#first)), ...kept];
  }

  /** Forgets all rows and begins with these. */
  replace(rows: readonly string[]): void {
    this.#rows = [];
    this.#gone = 0;
    this.#bytes = 0;
    this.#first = this.#older?.count ?? 0;
    this.add(rows);
  }
}

const costOf = (row: string): number => row.length * 2 + ROW_OVERHEAD;
