/**
 * One line of events per session: an extension hears what happened in the order in which it happened, and its handler for one
 * event is over before the next begins, as in pi. What a handler itself causes (it sets the model, say) cannot wait for that
 * handler: such events have a line of their own inside its turn.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** The turn of one event; its number travels with everything that the handler asks for. */
interface Turn {
  readonly session: string;
  readonly inner: Line;
  isOver: boolean;
  /** Runs something in the async context in which the event happened: it knows of the turns around this one. */
  readonly around: <R>(work: () => R) => R;
}

interface Job {
  readonly canBeDropped: boolean;
  run(): Promise<void>;
}

/** Events that may wait; of more, the oldest that a later one makes superfluous are dropped. */
const MAX_WAITING = 64;

/** Jobs one after the other. */
class Line {
  readonly #waiting: Job[] = [];
  #working: Promise<void> | undefined;

  add(job: Job): void {
    this.#waiting.push(job);
    if (this.#waiting.length > MAX_WAITING) {
      const at = this.#waiting.findIndex(({ canBeDropped }) => canBeDropped);
      if (at !== -1) this.#waiting.splice(at, 1);
    }
    this.#working ??= this.#work();
  }

  async settled(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async #work(): Promise<void> {
    // Never over before `add` has noted that it began: whoever waits for its end would wait for ever.
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next.run();
    this.#working = undefined;
  }
}

/** The lines of one extension. */
export class EventLines {
  readonly #lines = new Map<string, Line>();
  readonly #turns = new Map<number, Turn>();
  readonly #cause = new AsyncLocalStorage<Turn>();
  #lastTurn = 0;

  /** Runs `work` when everything that happened before in the session was heard; gives or throws what it gives or throws. */
  take<T>(session: string, work: (turn: number) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#add(session, false, (turn) => work(turn).then(resolve, reject));
    });
  }

  /** The same for something that nobody waits for; with `canBeDropped`, a later event of the kind says more. */
  note(session: string, canBeDropped: boolean, work: (turn: number) => Promise<void>): void {
    this.#add(session, canBeDropped, work);
  }

  /** Resolves when everything that has happened in the session was heard. */
  reached(session: string): Promise<void> {
    return this.take(session, () => Promise.resolve());
  }

  /** Runs what the handler of a turn asked for. */
  causedBy<T>(turn: number | undefined, work: () => T): T {
    const cause = turn === undefined ? undefined : this.#turns.get(turn);
    return cause ? cause.around(() => this.#cause.run(cause, work)) : work();
  }

  /** Resolves when nothing waits, in any session. */
  async settled(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.settled()));
  }

  /** What still waits in a session, or hangs there, is not waited for by what comes from now on. */
  leaveBehind(session: string): void {
    this.#lines.delete(session);
  }

  #add(session: string, canBeDropped: boolean, work: (turn: number) => Promise<void>): void {
    const around = AsyncLocalStorage.snapshot();
    const run = async () => {
      const id = ++this.#lastTurn;
      const turn: Turn = { session, inner: new Line(), isOver: false, around };
      this.#turns.set(id, turn);
      try {
        await around(() => work(id));
      } finally {
        turn.isOver = true;
        this.#turns.delete(id);
        await turn.inner.settled();
      }
    };
    this.#lineFor(session).add({ canBeDropped, run });
  }

  #lineFor(session: string): Line {
    const cause = this.#cause.getStore();
    if (cause && !cause.isOver && cause.session === session) return cause.inner;
    const line = this.#lines.get(session) ?? new Line();
    this.#lines.set(session, line);
    return line;
  }
}
