/** Requests to the host that wait for an answer. */
interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/** Gives every request an id of its own and brings the answer with that id back to it. */
export class Pending<Answer> {
  readonly #prefix: string;
  readonly #waiting = new Map<string, Waiting<Answer>>();
  #count = 0;
  #closed: Error | undefined;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** A fresh id. */
  nextId(): string {
    return `${this.#prefix}_${++this.#count}`;
  }

  /** Sends a request and waits. When `signal` aborts, `onAbort` is told the id and the wait is over. */
  ask(
    send: (id: string) => void,
    options: { readonly signal?: AbortSignal | undefined; onAbort?(id: string): void } = {},
  ): Promise<Answer> {
    const { signal, onAbort } = options;
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(asError(signal.reason));
    const id = this.nextId();
    return new Promise<Answer>((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(id);
        onAbort?.(id);
        reject(asError(signal?.reason));
      };
      const settle = () => signal?.removeEventListener('abort', stop);
      this.#waiting.set(id, {
        resolve: (answer) => (settle(), resolve(answer)),
        reject: (reason) => (settle(), reject(asError(reason))),
      });
      signal?.addEventListener('abort', stop, { once: true });
      send(id);
    });
  }

  /** Brings an answer; false when nobody waits for it (any more). */
  answer(id: string, answer: Answer): boolean {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.resolve(answer);
    return waiting !== undefined;
  }

  /** True while somebody waits for this answer. */
  isWaiting(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Nobody will answer any more. */
  close(reason: Error): void {
    this.#closed = reason;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const request of waiting) request.reject(reason);
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
