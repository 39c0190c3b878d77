/** Connections that have not shown a token yet: so many may wait, and no more. */
import type { Socket } from 'node:net';

/** What one page needs, many times over. */
const MOST = 200;

/** Lets whoever comes last wait, and sends the one away that has waited longest: those who hold many open shut nobody out. */
export class Doorstep {
  /** In the order in which they came. */
  readonly #waiting = new Set<Socket>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** A connection was opened. */
  came(socket: Socket): void {
    this.#waiting.add(socket);
    socket.once('close', () => this.#waiting.delete(socket));
    const [longest] = this.#waiting;
    if (this.#waiting.size > this.#most) longest?.destroy();
  }

  /** It has shown the token. */
  admit(socket: Socket | undefined): void {
    if (socket) this.#waiting.delete(socket);
  }
}
