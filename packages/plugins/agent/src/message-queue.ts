import type { QueueMode } from './api.ts';

/** Messages that wait for their turn. */
export class MessageQueue<T> {
  #waiting: T[] = [];
  mode: QueueMode;

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(message: T): void {
    this.#waiting.push(message);
  }

  /** What this turn takes: one message, or all. */
  take(): T[] {
    return this.mode === 'all' ? this.#waiting.splice(0) : this.#waiting.splice(0, 1);
  }

  clear(): T[] {
    return this.#waiting.splice(0);
  }
}
