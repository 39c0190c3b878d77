import type { Usage } from '@tenon/models/api';
import type { AgentMessage } from '@tenon/sessions/api';
import { addUsage } from './usage.ts';

/** What one agent has used so far, and which accounts of it are still being written. */
export class Accounts {
  #total: Usage = addUsage([]);
  readonly #open = new Set<Promise<void>>();

  get total(): Usage {
    return this.#total;
  }

  /** Begins with what a conversation used before. */
  startWith(messages: readonly AgentMessage[]): void {
    this.#total = addUsage(messages.flatMap((message) => (message.role === 'assistant' ? [message.usage] : [])));
  }

  /** Adds a call; `written` resolves when others have taken note of it. */
  add(usage: Usage, written: Promise<void>): void {
    this.#total = addUsage([this.#total, usage]);
    const noted = written.finally(() => this.#open.delete(noted));
    this.#open.add(noted);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#open);
  }
}
