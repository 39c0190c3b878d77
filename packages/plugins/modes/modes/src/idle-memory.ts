/** Gives memory back while a mode that serves another program has nothing to do. `docs/design/start-up.md` has the numbers. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How long nothing may happen before the first step, and from each step to the next. */
const QUIET_MS = 3_000;

/** What to watch and what to do. */
export interface IdleMemoryOptions {
  /** True while work goes on, also where nothing is heard of it: a model that thinks, a tool that runs. */
  isBusy(): boolean;
  /** What is done, one step for each quiet time; two collections and what the system can take back, unless a test says otherwise. */
  readonly steps?: readonly (() => unknown)[];
  /** Told when a step fails; the steps are no longer taken then. */
  onFault(fault: unknown): void;
}

/** Takes some steps, once, each time that a while has passed without activity. */
export class IdleMemory {
  readonly #options: IdleMemoryOptions;
  readonly #steps: readonly (() => unknown)[];
  #timer: NodeJS.Timeout | undefined;
  #next = 0;
  #isActive = true;
  #isOver = false;

  constructor(options: IdleMemoryOptions) {
    this.#options = options;
    this.#steps = options.steps ?? [collectGarbage, collectGarbage, returnMemory];
    this.#wait();
  }

  /** Something happens: the quiet time begins anew. Cheap, because it is called for every token of an answer. */
  touch(): void {
    this.#isActive = true;
    this.#next = 0;
    if (this.#timer === undefined) this.#wait();
  }

  /** Takes no more steps. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#isOver) return;
    this.#isActive = false;
    // Waiting for a quiet time keeps no process alive.
    this.#timer = setTimeout(() => void this.#step(), QUIET_MS).unref();
  }

  async #step(): Promise<void> {
    if (this.#isActive || this.#options.isBusy()) {
      this.#next = 0;
      return this.#wait();
    }
    try {
      await this.#steps[this.#next]?.();
    } catch (fault) {
      this.close();
      return this.#options.onFault(fault);
    }
    this.#timer = undefined;
    // What came while the step was taken has found a timer, and did not begin to wait.
    if (!this.#isActive) this.#next++;
    if (this.#isActive || this.#next < this.#steps.length) this.#wait();
  }
}

/** A full collection. Its function is not there by default; a context that is made while V8 knows the flag has it. */
export function collectGarbage(): void {
  let collect: () => void;
  try {
    setFlagsFromString('--expose-gc');
    collect = globalThis.gc ?? (runInNewContext('gc') as () => void);
  } finally {
    // Compiled code is kept for the flags that it was made with.
    setFlagsFromString('--no-expose-gc');
  }
  collect();
}

/** What the system can take back. */
export async function returnMemory(): Promise<void> {
  const { loadAccelerator } = await import('@tenon/native');
  (await loadAccelerator('memory')).release();
}
