import type { QueueMode, WaitingMessage } from './api.ts';

/** What waits; `typed` is there when the user said it and may take it back. */
interface Waiting<T> {
  readonly message: T | Promise<T | undefined>;
  readonly typed?: WaitingMessage | undefined;
}

/** Messages that wait for their turn. One may still be on its way through a hook; nothing comes of it if that blocks it. */
export class MessageQueue<T> {
  #waiting: Waiting<T>[] = [];
  mode: QueueMode;

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(message: T | Promise<T | undefined>, typed?: WaitingMessage): void {
    this.#waiting.push({ message, typed });
  }

  /** What the user said and nobody has taken yet. */
  typed(): readonly WaitingMessage[] {
    return this.#waiting.flatMap(({ typed }) => typed ?? []);
  }

  /** Takes the newest of those out again. */
  takeBack(): WaitingMessage | undefined {
    const at = this.#waiting.findLastIndex(({ typed }) => typed !== undefined);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]?.typed;
  }

  /** What this turn takes: one message, or all. */
  async take(): Promise<T[]> {
    const taken = this.mode === 'all' ? this.#waiting.splice(0) : this.#waiting.splice(0, 1);
    const ready = (await Promise.all(taken.map(({ message }) => message))).filter(
      (message) => message !== undefined,
    ) as T[];
    // One that was blocked does not use up the place of the next.
    return ready.length === 0 && taken.length > 0 ? this.take() : ready;
  }

  clear(): void {
    this.#waiting = [];
  }
}
