/** Takes in output of any length: the start and the end stay in memory, all of it goes to a file once it is too much. */
import { type FileHandle, open } from 'node:fs/promises';

/** Where all of an output is kept. */
export interface SpillFile {
  /** Part of `artifact://ID`; absent when the file belongs to no session. */
  readonly id?: string;
  readonly path: string;
}

/** How much is kept, and where the rest goes. */
export interface SinkOptions {
  /** The most bytes of text to give back. */
  readonly maxBytes: number;
  /** The most bytes to write to the file: a shell command that never stops must not fill the disk. */
  readonly maxSpillBytes: number;
  /** Makes the file; called once, when there is too much for memory. */
  spill(): Promise<SpillFile>;
}

/** What became of an output. */
export interface SinkSummary {
  /** The first bytes, whole lines as far as possible. */
  readonly head: string;
  /** The last bytes, likewise; all of the output when nothing was left out. */
  readonly tail: string;
  readonly isTruncated: boolean;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly file?: SpillFile;
  /** The file ends early. */
  readonly isFileCut: boolean;
  /** Why there is no file although there should be. */
  readonly fileProblem?: string;
}

const NEWLINE = 10;

/** The output of one shell command. */
export class OutputSink {
  readonly #options: SinkOptions;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Buffer | undefined;
  #totalBytes = 0;
  #newlines = 0;
  #endsOpen = false;
  #handle: FileHandle | undefined;
  #file: SpillFile | undefined;
  #fileProblem: string | undefined;
  #written = 0;

  constructor(options: SinkOptions) {
    this.#options = options;
  }

  /** Takes in a piece of text. Resolves when there is room for the next. */
  async push(text: string): Promise<void> {
    if (text === '') return;
    const chunk = Buffer.from(text);
    this.#count(chunk);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const { maxBytes } = this.#options;
    if (this.#head !== undefined) await this.#write(chunk);
    else if (this.#bytes > maxBytes) {
      const all = Buffer.concat(this.#chunks);
      this.#head = wholeLinesAtStart(all, maxBytes);
      await this.#openFile();
      await this.#write(all);
    }
    // Twice the size, so that the end is not copied for every piece.
    if (this.#bytes > 2 * maxBytes) this.#trim();
  }

  /** The newest text, for showing progress. */
  latest(maxBytes: number): string {
    const parts: Buffer[] = [];
    let size = 0;
    for (let index = this.#chunks.length - 1; index >= 0 && size < maxBytes; index--) {
      const chunk = this.#chunks[index] as Buffer;
      parts.unshift(chunk);
      size += chunk.length;
    }
    return wholeLinesAtEnd(Buffer.concat(parts), maxBytes).toString('utf8');
  }

  /** Closes the file and describes the output. */
  async end(): Promise<SinkSummary> {
    await this.#handle?.close();
    const all = Buffer.concat(this.#chunks);
    const isTruncated = this.#head !== undefined;
    const tail = isTruncated ? wholeLinesAtEnd(all, this.#options.maxBytes) : all;
    return {
      head: (this.#head ?? all).toString('utf8'),
      tail: tail.toString('utf8'),
      isTruncated,
      totalLines: this.#newlines + (this.#endsOpen ? 1 : 0),
      totalBytes: this.#totalBytes,
      isFileCut: this.#file !== undefined && this.#written < this.#totalBytes,
      ...(this.#file && { file: this.#file }),
      ...(this.#fileProblem !== undefined && { fileProblem: this.#fileProblem }),
    };
  }

  #count(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.#newlines++;
    this.#endsOpen = chunk.at(-1) !== NEWLINE;
  }

  #trim(): void {
    const all = Buffer.concat(this.#chunks);
    // Copied, so that the memory of what is dropped can be freed.
    const rest = Buffer.from(wholeLinesAtEnd(all, this.#options.maxBytes));
    this.#chunks = [rest];
    this.#bytes = rest.length;
  }

  /** Without a file the output is still bounded and shown; only its middle is lost, and the result says so. */
  async #openFile(): Promise<void> {
    try {
      const file = await this.#options.spill();
      this.#handle = await open(file.path, 'w', 0o600);
      this.#file = file;
    } catch (fault) {
      this.#fileProblem = fault instanceof Error ? fault.message : String(fault);
    }
  }

  async #write(chunk: Buffer): Promise<void> {
    const room = this.#options.maxSpillBytes - this.#written;
    if (!this.#handle || room <= 0) return;
    const part = chunk.subarray(0, room);
    try {
      await this.#handle.writeFile(part);
      this.#written += part.length;
    } catch (fault) {
      this.#fileProblem = fault instanceof Error ? fault.message : String(fault);
      await this.#handle.close();
      this.#handle = undefined;
    }
  }
}

/** Cut after the last line break that fits, else between two characters. */
function wholeLinesAtStart(bytes: Buffer, max: number): Buffer {
  if (bytes.length <= max) return bytes;
  const line = bytes.lastIndexOf(NEWLINE, max - 1) + 1;
  return Buffer.from(bytes.subarray(0, line > 0 ? line : characterStart(bytes, max)));
}

/** Cut before the first line that fits whole, else between two characters. */
function wholeLinesAtEnd(bytes: Buffer, max: number): Buffer {
  if (bytes.length <= max) return bytes;
  const start = bytes.length - max;
  const line = bytes.indexOf(NEWLINE, start - 1) + 1;
  if (line > 0 && line < bytes.length) return bytes.subarray(line);
  let at = start;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return bytes.subarray(at);
}

function characterStart(bytes: Buffer, at: number): number {
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}
