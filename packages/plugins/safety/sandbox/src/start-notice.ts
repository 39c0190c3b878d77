/**
 * When the user of a session is told how its commands are held. To know that, Tenon loads the accelerators and starts programs, and the first
 * request to a model should not wait for it: a model answers later than all of that takes.
 */
const AFTER_REQUEST_MS = 15;
/** On a screen nobody may have said anything yet. */
const WITHOUT_REQUEST_MS = 500;

interface Waiting {
  readonly timer: NodeJS.Timeout;
  readonly tell: () => void;
}

/** Tells each session once: soon after its first request, or after a while without one. */
export class StartNotice {
  readonly #waiting = new Map<string, Waiting>();
  readonly #told = new Map<string, Promise<void>>();

  begin(session: string, tell: () => Promise<void>): void {
    if (this.#told.has(session) || this.#waiting.has(session)) return;
    const now = () => {
      clearTimeout(this.#waiting.get(session)?.timer);
      this.#waiting.delete(session);
      this.#told.set(session, tell());
    };
    this.#waiting.set(session, { timer: setTimeout(now, WITHOUT_REQUEST_MS).unref(), tell: now });
  }

  /** A request of any session goes out. */
  requested(): void {
    for (const [session, { timer, tell }] of this.#waiting) {
      clearTimeout(timer);
      this.#waiting.set(session, { timer: setTimeout(tell, AFTER_REQUEST_MS).unref(), tell });
    }
  }

  /** Tenon does not end before everything is said. */
  async finish(): Promise<void> {
    for (const { tell } of [...this.#waiting.values()]) tell();
    await Promise.all(this.#told.values());
  }
}
