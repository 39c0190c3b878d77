import { plain } from './plain.ts';
import type { Callback } from './registrations.ts';

/** More previews than this at a time are forgotten, the oldest first. */
const MAX_KEPT = 100;

/** Actions that wait until `resolve` is called. */
export class PendingCalls {
  readonly #kept = new Map<number, Record<string, unknown>>();
  #next = 1;

  /** Keeps an action under a number. */
  keep(action: Record<string, unknown>): number {
    if (typeof action['apply'] !== 'function') throw new TypeError('a pending action needs a function "apply"');
    const id = this.#next++;
    this.#kept.set(id, action);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return id;
  }

  /** Carries one out, or drops it. */
  async settle(id: number, decision: 'apply' | 'reject', reason: string): Promise<unknown> {
    const action = this.#kept.get(id);
    this.#kept.delete(id);
    const method = action?.[decision];
    if (typeof method !== 'function') throw new Error('The previewed change is gone: the extension was started anew.');
    return plain(await (method as Callback).call(action, reason));
  }
}
