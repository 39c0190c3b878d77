/** What is shown about the selected item: asked for when the selection rests, given up when it moves on. */

/** How long the selection rests before its preview is asked for, so that moving through a list asks for few. */
const REST_MS = 60;

/** The preview of one item at a time. */
export class Preview<T> {
  readonly #load: (value: T, signal: AbortSignal) => Promise<readonly string[]>;
  readonly #onChange: () => void;
  #shown: { readonly value: T; readonly rows: readonly string[] } | undefined;
  #wanted: { readonly value: T } | undefined;
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(load: (value: T, signal: AbortSignal) => Promise<readonly string[]>, onChange: () => void) {
    this.#load = load;
    this.#onChange = onChange;
  }

  /** The rows of this item; nothing until they are there. */
  rows(value: T): readonly string[] | undefined {
    return this.#shown && this.#shown.value === value ? this.#shown.rows : undefined;
  }

  /** Asks for an item's rows, in place of those that were asked for before. */
  want(value: T | undefined, isChanged = false): void {
    if (!isChanged && this.#wanted && this.#wanted.value === value) return;
    this.stop();
    if (value === undefined) return;
    this.#wanted = { value };
    const controller = new AbortController();
    this.#controller = controller;
    this.#timer = setTimeout(() => void this.#ask(value, controller.signal), REST_MS);
  }

  async #ask(value: T, signal: AbortSignal): Promise<void> {
    let rows: readonly string[];
    try {
      rows = await this.#load(value, signal);
    } catch (fault) {
      // The list works without it; the reason stands where the preview would.
      rows = [fault instanceof Error ? fault.message : String(fault)];
    }
    if (signal.aborted) return;
    this.#shown = { value, rows };
    this.#onChange();
  }

  /** Gives up what is being asked for. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.#controller = undefined;
    this.#wanted = undefined;
  }
}
