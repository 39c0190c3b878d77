/** JSON lines over a socket, one after the other, of limited length. */
import type { Socket } from 'node:net';

/** The longest line. A message of 8,000 characters fits, however it is written. */
export const MAX_LINE_BYTES = 128 * 1024;

/** Reads and writes lines. Everything fails once the socket has ended or says too much. */
export class Lines {
  readonly #socket: Socket;
  readonly #ready: string[] = [];
  readonly #waiting: { resolve(line: string): void; reject(fault: Error): void }[] = [];
  #rest = Buffer.alloc(0);
  #fault: Error | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.on('error', (fault) => this.#end(fault));
    socket.on('close', () => this.#end(new Error('the connection has ended')));
  }

  /** The next line as a value; fails after a while. */
  async next(timeoutMs: number): Promise<Readonly<Record<string, unknown>>> {
    const line = this.#ready.shift() ?? (await this.#wait(timeoutMs));
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('a line is not an object');
    return value as Readonly<Record<string, unknown>>;
  }

  send(value: object): void {
    this.#socket.write(`${JSON.stringify(value)}\n`);
  }

  #wait(timeoutMs: number): Promise<string> {
    if (this.#fault) return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => {
      const clock = setTimeout(() => this.#end(new Error('it does not answer')), timeoutMs);
      clock.unref();
      this.#waiting.push({
        resolve: (line) => (clearTimeout(clock), resolve(line)),
        reject: (fault) => (clearTimeout(clock), reject(fault)),
      });
    });
  }

  #take(piece: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, piece]);
    for (let end = this.#rest.indexOf(10); end !== -1; end = this.#rest.indexOf(10)) {
      if (end > MAX_LINE_BYTES) break;
      const line = this.#rest.toString('utf8', 0, end);
      this.#rest = this.#rest.subarray(end + 1);
      const reader = this.#waiting.shift();
      if (reader) reader.resolve(line);
      else this.#ready.push(line);
      // Nobody sends more than one line ahead.
      if (this.#ready.length > 4) return this.#end(new Error('it sends too many lines'));
    }
    if (this.#rest.length > MAX_LINE_BYTES) this.#end(new Error('it sends a line that is too long'));
  }

  #end(fault: Error): void {
    this.#fault ??= fault;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#fault);
    this.#socket.destroy();
  }
}
