import { type Logger, messageOf } from '@tenon/kernel';

/** What is done in an idle moment. */
export interface IdleWork {
  readonly log: Logger;
  makeRoom(): Promise<unknown>;
  abort(): void;
}

/** Makes room some minutes after the last run, so that the next prompt need not wait for it. */
export class IdleTimer {
  readonly #minutes: number;
  readonly #idle: IdleWork;
  #timer: NodeJS.Timeout | undefined;
  #isWorking = false;

  /** Zero minutes: never. */
  constructor(minutes: number, work: IdleWork) {
    this.#minutes = minutes;
    this.#idle = work;
  }

  start(): void {
    this.stop();
    if (this.#minutes <= 0) return;
    this.#timer = setTimeout(() => void this.#work(), this.#minutes * 60_000);
    // A process that has nothing else to do may end.
    this.#timer.unref();
  }

  /** Stops the clock, and the work if it has begun: whoever calls this has something better to do. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWorking) this.#idle.abort();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      await this.#idle.makeRoom();
    } catch (fault) {
      this.#idle.log.error(`a summary in an idle moment failed: ${messageOf(fault)}`);
    } finally {
      this.#isWorking = false;
    }
  }
}
