/** Rows that somebody else draws, in another process: Tenon's own rows are shown until they come, and in their place if they do not. */
import { Block, type DrawStyle } from './block.ts';

/** Rows of others; nothing when they have none. */
export type DrawnRows = Promise<readonly string[] | undefined>;

/** Longer than that nobody waits for a drawing. */
const WAIT_MS = 1_000;

/** A block that waits for its rows for a short while. */
export class DrawnBlock extends Block {
  readonly #own: (style: DrawStyle) => readonly string[];
  readonly #done: (rows: readonly string[] | undefined) => void;
  #rows: readonly string[] | undefined;
  #isFinished = false;

  /** `onDone` is called once, when the rows are there or will not come. */
  constructor(drawn: DrawnRows, own: (style: DrawStyle) => readonly string[], onDone: () => void) {
    super();
    this.#own = own;
    const done = (rows: readonly string[] | undefined) => {
      if (this.#isFinished) return;
      clearTimeout(timer);
      this.#rows = rows;
      this.#isFinished = true;
      this.changed();
      onDone();
    };
    this.#done = done;
    const timer = setTimeout(() => done(undefined), WAIT_MS);
    // Whoever draws reports its own faults; here they mean that there is no drawing.
    drawn.then(done, () => done(undefined));
  }

  override hurry(): void {
    this.#done(undefined);
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  protected draw(style: DrawStyle): readonly string[] {
    if (!this.#rows) return this.#own(style);
    // Text of another process: styles are its own, everything else is taken out.
    return ['', ...this.#rows.flatMap((row) => style.wrap(row, style.width))];
  }
}
