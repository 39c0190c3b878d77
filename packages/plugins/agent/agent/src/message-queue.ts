import type { QueueMode } from './api.ts';

/** Messages that wait for their turn. One may still be on its way through a hook; nothing comes of it if that blocks it. */
export class MessageQueue<T> {
  #waiting: (T | Promise<T | undefined>)[] = [];
  mode: QueueMode;

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(message: T | Promise<T | undefined>): void {
    this.#waiting.push(message);
  }

  /** What this turn takes: one message, or all. */
  async take(): Promise<T[]> {
    const taken = this.mode === 'all' ? this.#waiting.splice(0) : this.#waiting.splice(0, 1);
    const ready = (await Promise.all(taken)).filter((message) => message !== undefined) as T[];
    // One that was blocked does not use up the place of the next.
    return ready.length === 0 && taken.length > 0 ? this.take() : ready;
  }

  clear(): void {
    this.#waiting = [];
  }
}
