/** Kept of what background processes write between commands. */
const LARGEST_TAIL = 256 * 1024;

/** The newest output of background processes, bounded; a server that logs for hours must not fill memory. */
export class BackgroundTail {
  #chunks: Uint8Array[] = [];
  #size = 0;
  #dropped = 0;

  /** Appends, and forgets whole chunks from the front when there is too much. */
  push(bytes: Uint8Array): void {
    const newest = bytes.length > LARGEST_TAIL ? bytes.subarray(bytes.length - LARGEST_TAIL) : bytes;
    this.#dropped += bytes.length - newest.length;
    this.#chunks.push(newest);
    this.#size += newest.length;
    while (this.#size > LARGEST_TAIL) {
      const first = this.#chunks.shift();
      if (!first) break;
      this.#size -= first.length;
      this.#dropped += first.length;
    }
  }

  /** Hands over what is kept and how much was forgotten, and starts anew. */
  take(): { bytes: Uint8Array; dropped: number } {
    const tail = { bytes: Buffer.concat(this.#chunks), dropped: this.#dropped };
    this.#chunks = [];
    this.#size = 0;
    this.#dropped = 0;
    return tail;
  }
}
