/** A deadline that stands still while a person is being asked. */
export class StallTimer {
  readonly #ms: number;
  #asking = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Whether a person is being asked at the moment. */
  get isAsking(): boolean {
    return this.#asking > 0;
  }

  /** Runs something in which a person is asked. */
  async whileAsking<T>(work: () => Promise<T>): Promise<T> {
    this.#asking++;
    try {
      return await work();
    } finally {
      this.#asking--;
    }
  }

  /** Waits for `work`, but not for ever. */
  async wait<T>(work: Promise<T>, onTimeout: () => Error): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const arm = () => {
        timer = setTimeout(() => (this.isAsking ? arm() : reject(onTimeout())), this.#ms);
      };
      arm();
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
