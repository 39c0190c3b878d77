/** The finished rows of a fullscreen, up to a number of bytes; those before the first one come from the host when somebody wants them. */

/** Gives some rows that come right before those it gave last, or before the first that was added; nothing when there are none. */
export type EarlierRows = () => readonly string[] | undefined;

/** About what a string costs beside its characters. */
const ROW_OVERHEAD = 32;

/** Rows by number: the first that was added is 0, those before it are negative. */
export class FinishedRows {
  readonly #limit: number;
  readonly #earlier: EarlierRows | undefined;
  #rows: string[] = [];
  /** Rows at the beginning of `#rows` that were dropped; they are taken out many at a time. */
  #gone = 0;
  /** The number of the first row that is kept. */
  #first = 0;
  #bytes = 0;
  /** Rows were dropped for want of room: what the host has does not come right before the others any more. */
  #hasGap = false;

  constructor(limit: number, earlier?: EarlierRows) {
    this.#limit = limit;
    this.#earlier = earlier;
  }

  /** The number of the oldest row that is kept. */
  get start(): number {
    return this.#first;
  }

  /** Gets rows from before the first one; false when there are none. They go first when there is no room. */
  readEarlier(): boolean {
    const rows = this.#hasGap ? undefined : this.#earlier?.();
    if (!rows) return false;
    this.#rows = [...rows, ...this.#rows.slice(this.#gone)];
    this.#gone = 0;
    this.#first -= rows.length;
    for (const row of rows) this.#bytes += costOf(row);
    return true;
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
      this.#hasGap = true;
    }
    if (this.#gone > 1000 && this.#gone > this.#rows.length / 2) {
      this.#rows = this.#rows.slice(this.#gone);
      this.#gone = 0;
    }
  }

  /** Rows `from` to `to` (exclusive), as far as there are any. */
  read(from: number, to: number): readonly string[] {
    return this.#rows.slice(this.#gone + Math.max(0, from - this.#first), this.#gone + Math.max(0, to - this.#first));
  }

  /** Forgets all rows and begins with these. */
  replace(rows: readonly string[]): void {
    this.#rows = [];
    this.#gone = 0;
    this.#bytes = 0;
    this.#first = 0;
    this.#hasGap = false;
    this.add(rows);
  }
}

const costOf = (row: string): number => row.length * 2 + ROW_OVERHEAD;
