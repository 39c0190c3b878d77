/** Stopping a command: ask, insist, end. See crates/shell/src/stop.rs for the reasons. */
import { constants } from 'node:os';

import { CANCEL_SIGNAL } from './js-control.ts';
import { type Identity, signal } from './js-processes.ts';

const LOOK_MS = 10;
/** How long the shell may live on after all it started was killed. */
const SHELL_GRACE_MS = 500;

/** What a stop looks at. */
export interface StopView {
  /** The processes that the command has started. */
  running(): readonly Identity[];
  shell(): number | undefined;
  /** Called after each look. */
  looked(): void;
}

/** A stop in progress. */
export class Stop {
  readonly outcome: 'exited' | 'cancelled' | 'timed-out';
  readonly #graceMs: number;
  readonly #view: StopView;
  readonly #since = Date.now();
  readonly #signalled = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #askedShell = false;
  #done = false;

  constructor(outcome: Stop['outcome'], graceMs: number, view: StopView) {
    this.outcome = outcome;
    this.#graceMs = graceMs;
    this.#view = view;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
    this.#look();
  }

  /** True once nothing that the command started is left (the shell aside). */
  get done(): boolean {
    return this.#done;
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { SIGINT, SIGTERM, SIGKILL, SIGCONT } = constants.signals;
    const running = this.#view.running();
    const elapsed = Date.now() - this.#since;
    const number = elapsed >= 2 * this.#graceMs ? SIGKILL : elapsed >= this.#graceMs ? SIGTERM : SIGINT;
    // The shell first: its trap must be pending when its child dies, or it would go on to the next command.
    const shell = this.#view.shell();
    if (shell !== undefined) {
      if (!this.#askedShell) for (const asked of [CANCEL_SIGNAL, SIGCONT]) signal(shell, asked);
      this.#askedShell = true;
      if (elapsed >= 2 * this.#graceMs + SHELL_GRACE_MS) signal(shell, SIGKILL);
    }
    for (const { pid, started } of running) {
      const key = `${pid} ${started} ${number}`;
      if (number !== SIGKILL && this.#signalled.has(key)) continue;
      this.#signalled.add(key);
      signal(pid, number);
      // A stopped process would not see a polite signal before it continues.
      if (number !== SIGKILL) signal(pid, SIGCONT);
    }
    this.#done = running.length === 0;
    // Not before the constructor has returned: the engine looks at this object.
    if (this.#done) setImmediate(() => this.#view.looked());
  }
}
