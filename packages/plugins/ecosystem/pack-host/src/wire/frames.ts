/** A stream of lines with a limit on the length of one, so that a peer cannot make us buffer without end. */
export class LineDecoder {
  #parts: Buffer[] = [];
  #length = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes. Throws a RangeError when a line is too long. */
  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10, start); end !== -1; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end);
      this.#check(part.length);
      const line = this.#parts.length === 0 ? part : Buffer.concat([...this.#parts, part]);
      this.#parts = [];
      this.#length = 0;
      start = end + 1;
      yield line.toString('utf8');
    }
    if (start === chunk.length) return;
    const rest = chunk.subarray(start);
    this.#check(rest.length);
    this.#parts.push(rest);
    this.#length += rest.length;
  }

  #check(more: number): void {
    if (this.#length + more > this.#maxBytes) throw new RangeError(`a message is longer than ${this.#maxBytes} bytes`);
  }
}

/** Lets `perSecond` messages through on average and `burst` at once. */
export class TokenBucket {
  #tokens: number;
  #filledAt: number;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;

  constructor(options: { perSecond: number; burst: number; now?: () => number }) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#now = options.now ?? (() => performance.now());
    this.#tokens = options.burst;
    this.#filledAt = this.#now();
  }

  /** Takes one token; false when there is none. */
  take(): boolean {
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1_000) * this.#perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long until `count` tokens are there. */
  waitMs(count = 1): number {
    return Math.max(0, ((Math.min(count, this.#burst) - this.#tokens) / this.#perSecond) * 1_000);
  }
}
