import { type Logger, messageOf } from '@tenon/kernel';
import type { PromptHistory } from '@tenon/sessions/api';

/** Long enough for the first request to be on its way: opening the history must not delay it. */
const DELAY_MS = 1_000;

/** Remembers what the user types, in quiet moments and at the latest when the mode ends. */
export class PromptMemory {
  readonly #history: () => Promise<PromptHistory>;
  readonly #cwd: string;
  readonly #log: Logger;
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: { history: () => Promise<PromptHistory>; cwd: string; log: Logger }) {
    this.#history = options.history;
    this.#cwd = options.cwd;
    this.#log = options.log;
  }

  add(prompt: string): void {
    this.#waiting.push(prompt);
    this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS).unref();
  }

  /** Writes what waits. A history that cannot be written is no reason to stop working. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const prompts = this.#waiting.splice(0);
    if (prompts.length === 0) return this.#writing;
    this.#writing = this.#writing.then(async () => {
      try {
        const history = await this.#history();
        for (const prompt of prompts) await history.add(prompt, this.#cwd);
      } catch (fault) {
        this.#log.warn(`prompts could not be remembered: ${messageOf(fault)}`);
      }
    });
    return this.#writing;
  }
}
