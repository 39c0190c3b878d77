/** Finished rows that a frame may have erased, until the terminal says how wide it was when the frame arrived. */

/** More rows than that a terminal does not make of the live ones. */
const MOST_RECENT = 256;
/** Answers come sooner than so many rows. */
const MOST_AT_RISK = 4096;

/**
 * On a narrower screen a frame goes up as many rows as the terminal has made of the live ones. If it is wider again when
 * the frame arrives, that is too far: finished rows go. They, and those that followed, are then written again.
 */
export class RowsAtRisk {
  #recent: string[] = [];
  #rows: string[] | undefined;

  /** These rows became final. */
  add(rows: readonly string[]): void {
    if (rows.length === 0) return;
    this.#recent = [...this.#recent, ...rows.slice(-MOST_RECENT)].slice(-MOST_RECENT);
    if (!this.#rows) return;
    if (this.#rows.length + rows.length > MOST_AT_RISK) this.#rows = undefined;
    else for (const row of rows) this.#rows.push(row);
  }

  /** A frame may erase so many of the last rows. */
  begin(count: number): void {
    this.#rows = this.#recent.slice(-count);
  }

  /** Ends the risk, and gives the rows that it was about. */
  end(): readonly string[] {
    const rows = this.#rows ?? [];
    this.#rows = undefined;
    return rows;
  }

  /** The rows are no longer there to be erased. */
  clear(): void {
    this.#recent = [];
    this.#rows = undefined;
  }
}
