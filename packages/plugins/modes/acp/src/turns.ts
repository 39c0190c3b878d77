/** The prompts of one session: one after the other, and each ends with exactly one stop reason, whenever it is cancelled. */

/** How a prompt ended, or why it could not be worked on. */
export type Work<Reason> = (signal: AbortSignal) => Promise<Reason>;

/** Runs prompts in turn. */
export class Turns<Reason extends string> {
  readonly #cancelled: Reason;
  readonly #open = new Set<AbortController>();
  #last: Promise<unknown> = Promise.resolve();

  /** `cancelled` is the stop reason of a prompt that the user cancelled, however far it had come. */
  constructor(cancelled: Reason) {
    this.#cancelled = cancelled;
  }

  /** Whether a prompt is being worked on or waits. */
  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  /** Works on a prompt when those before it are done. `outer` cancels this one alone. */
  async run(work: Work<Reason>, outer?: AbortSignal): Promise<Reason> {
    const controller = new AbortController();
    const cancel = () => controller.abort();
    this.#open.add(controller);
    if (outer?.aborted === true) cancel();
    outer?.addEventListener('abort', cancel, { once: true });
    const before = this.#last;
    const { signal } = controller;
    const done = before.then(async () => {
      if (signal.aborted) return this.#cancelled;
      try {
        const reason = await work(signal);
        return signal.aborted ? this.#cancelled : reason;
      } catch (fault) {
        // What was cut off may fail in any way; the user has asked for the end, and gets it.
        if (signal.aborted) return this.#cancelled;
        throw fault;
      }
    });
    this.#last = done.catch(() => undefined); // told to whoever sent the prompt
    try {
      return await done;
    } finally {
      this.#open.delete(controller);
      outer?.removeEventListener('abort', cancel);
    }
  }

  /** Cancels the prompt that is being worked on and all that wait. */
  cancel(): void {
    for (const controller of this.#open) controller.abort();
  }

  /** Resolves when no prompt is left. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
