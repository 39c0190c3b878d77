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
    this.#total = addUsage(messages.flatMap(usageIn));
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

/** What a message stands for: the call that gave it, or what subagents used for a result (`details.spent`). */
export function usageIn(message: AgentMessage): readonly Usage[] {
  if (message.role === 'assistant') return [message.usage];
  const spent = message.role === 'toolResult' && (message.details as { readonly spent?: unknown } | undefined)?.spent;
  return isUsage(spent) ? [spent] : [];
}

/** Details are whatever a tool has written. */
function isUsage(value: unknown): value is Usage {
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = (value ?? {}) as Partial<Usage>;
  const prices = cost && [cost.input, cost.output, cost.cacheRead, cost.cacheWrite, cost.total];
  return [input, output, cacheRead, cacheWrite, totalTokens, ...(prices ?? [undefined])].every(Number.isFinite);
}
