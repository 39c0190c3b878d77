import type { Socket } from 'node:net';

/** Leaves what comes on a connection with the system for a while, so that the process sleeps on. */
export class Holding {
  readonly #handle: Handle;
  #isHeld = false;

  private constructor(handle: Handle) {
    this.#handle = handle;
  }

  /**
   * Nothing where Node offers no way. Its streams read whatever comes until their buffers are full, also while they are paused; only
   * the handle below the socket stops that. It is not documented, so nothing may depend on it but the CPU time.
   */
  static of(socket: Socket | null | undefined): Holding | undefined {
    const handle = (socket as { readonly _handle?: Partial<Handle> } | null | undefined)?._handle;
    const canHold = typeof handle?.readStop === 'function' && typeof handle.readStart === 'function';
    return canHold ? new Holding(handle as Handle) : undefined;
  }

  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#handle.readStop();
  }

  /** Reads on; true when something was held. A connection that was closed meanwhile has nothing to read. */
  release(): boolean {
    if (!this.#isHeld) return false;
    this.#isHeld = false;
    this.#handle.readStart();
    return true;
  }
}

interface Handle {
  /** Both give a negative number where they fail, and throw nothing. */
  readStop(): number;
  readStart(): number;
}
