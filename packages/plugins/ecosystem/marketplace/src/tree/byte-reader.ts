/** Takes bytes from chunks in the amounts that are asked for. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #open = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** So many bytes, or fewer at the end. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0;) {
      const part = await this.#some(missing);
      if (part === undefined) break;
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /** Says how many bytes the next `stream` gives. */
  openStream(count: number): void {
    this.#open = count;
  }

  /** The bytes of the open stream as they come. Whoever does not read them all leaves the rest to `finishStream`. */
  async *stream(cutOff: () => never): AsyncGenerator<Buffer> {
    while (this.#open > 0) {
      const part = await this.#some(this.#open);
      if (part === undefined) return cutOff();
      this.#open -= part.length;
      yield part;
    }
  }

  /** Passes over what a reader of `stream` left. */
  async finishStream(): Promise<void> {
    await this.take(this.#open);
    this.#open = 0;
  }

  async #some(most: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return undefined;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** The bytes up to a line break, which is passed over; nothing at the end. */
  async line(maxBytes: number): Promise<string | undefined> {
    const bytes: Buffer[] = [];
    for (let count = 0; count < maxBytes; count++) {
      const byte = await this.take(1);
      if (byte.length === 0) break;
      if (byte[0] === 0x0a) return Buffer.concat(bytes).toString('latin1');
      bytes.push(byte);
    }
    return bytes.length === 0 ? undefined : Buffer.concat(bytes).toString('latin1');
  }
}
