/** Questions that are open in this process. Subagents that work side by side make the same call: it is one question at a time. */
import type { GateAnswer } from '@tenon/kernel';

/** The open questions, by the fingerprint of the call. */
export class OpenQuestions {
  readonly #open = new Map<string, Promise<GateAnswer>>();

  /** Asks; while somebody else asks the same, waits for that and judges `again`, because the answer may hold for this call, too. */
  async ask(
    digest: string,
    signal: AbortSignal,
    asks: { readonly ask: () => Promise<GateAnswer>; readonly again: () => Promise<GateAnswer> },
  ): Promise<GateAnswer> {
    const earlier = this.#open.get(digest);
    if (earlier) {
      await settled(earlier, signal);
      return asks.again();
    }
    const asked = asks.ask();
    this.#open.set(digest, asked);
    try {
      return await asked;
    } finally {
      this.#open.delete(digest);
    }
  }
}

/** Resolves when the question is over, whatever the answer; whoever waits may stop waiting. */
async function settled(question: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const stopped = new AbortController();
  const stop = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: stopped.signal });
  });
  // What became of it is told to whoever asked.
  await Promise.race([question.catch(() => undefined), stop]);
  stopped.abort();
  signal.throwIfAborted();
}
