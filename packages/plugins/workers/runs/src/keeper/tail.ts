/** Reads the files of a session from where it was read last. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { NO_MASK, type SecretMask } from '../masking/mask.ts';
import type { RunOutput } from '../run.ts';
import type { Offsets } from '../store/run-store.ts';
import { decode, wholeLength } from './decode.ts';

/** The most that is stored as one piece. */
const PIECE_BYTES = 64 * 1024;
/** The most that is read of a stream at a time, so that one worker cannot keep others waiting. */
const TURN_BYTES = 256 * 1024;
const STREAMS = ['stdout', 'stderr'] as const;

/** What was read. */
export interface TailRead {
  readonly pieces: readonly Pick<RunOutput, 'stream' | 'text'>[];
  readonly from: Offsets;
  readonly offsets: Offsets;
  /** There may be more to read at once. */
  readonly hasMore: boolean;
}

const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);

/** Reads the files of a session. What was read counts only when `advance` says so. */
export class Tail {
  readonly #folder: string;
  readonly #limit: number;
  readonly #mask: SecretMask;
  readonly #files = new Map<string, number>();
  #offsets: Offsets;

  constructor(folder: string, offsets: Offsets, limit: number, mask: SecretMask = NO_MASK) {
    this.#folder = folder;
    this.#mask = mask;
    this.#offsets = offsets;
    this.#limit = limit;
  }

  /** How much has been read. */
  get offsets(): Offsets {
    return this.#offsets;
  }

  /** Whether all was read that may be; a character may be cut by the limit. */
  get isFull(): boolean {
    return this.#offsets.stdout + this.#offsets.stderr > this.#limit - 4;
  }

  /** Whether more was written than may be. */
  get isOverLimit(): boolean {
    return STREAMS.reduce((sum, stream) => sum + (this.#size(stream)?.bytes ?? 0), 0) > this.#limit;
  }

  /** When something was last written, in milliseconds; undefined when nothing was. */
  get lastWrite(): number | undefined {
    const times = STREAMS.flatMap((stream) => this.#size(stream) ?? []).map(({ time }) => time);
    return times.length > 0 ? Math.max(...times) : undefined;
  }

  /** What is there beyond the last `advance`. `isFinal`: nothing will come, so a character that has only begun is decoded as it is. */
  read(isFinal: boolean): TailRead {
    const pieces: Pick<RunOutput, 'stream' | 'text'>[] = [];
    const offsets = { ...this.#offsets };
    let hasMore = false;
    for (const stream of STREAMS) {
      const end = offsets[stream] + TURN_BYTES;
      for (;;) {
        const left = Math.min(PIECE_BYTES, this.#limit - offsets.stdout - offsets.stderr);
        const bytes = this.#bytes(stream, offsets[stream], left);
        if (bytes.length === 0) break;
        const isLast = bytes.length < left;
        const { text, length } = this.#whole(bytes, isFinal && isLast);
        if (length === 0) break;
        pieces.push({ stream, text: this.#mask.text(text) });
        offsets[stream] += length;
        if (isLast) break;
        if (offsets[stream] >= end) {
          hasMore = true;
          break;
        }
      }
    }
    return { pieces, from: this.#offsets, offsets, hasMore };
  }

  /** What was read has been stored. */
  advance(offsets: Offsets): void {
    this.#offsets = offsets;
  }

  close(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
  }

  /** What can be told of bytes: not the beginning of a character, nor of a secret, unless nothing follows. */
  #whole(bytes: Uint8Array, isEnd: boolean): { readonly text: string; readonly length: number } {
    const length = isEnd ? bytes.length : wholeLength(bytes);
    const text = decode(bytes.subarray(0, length));
    const whole = isEnd ? text.length : this.#mask.wholeLength(text);
    if (whole === text.length) return { text, length };
    // What is left is part of a secret, which is text: its bytes can be counted.
    return { text: text.slice(0, whole), length: length - Buffer.byteLength(text.slice(whole)) };
  }

  #bytes(stream: string, offset: number, length: number): Uint8Array {
    const file = this.#open(stream);
    if (file === undefined || length <= 0) return buffer.subarray(0, 0);
    return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
  }

  #size(stream: string): { readonly bytes: number; readonly time: number } | undefined {
    const file = this.#open(stream);
    if (file === undefined) return undefined;
    const { size, mtimeMs } = fstatSync(file);
    return { bytes: size, time: mtimeMs };
  }

  #open(stream: string): number | undefined {
    const known = this.#files.get(stream);
    if (known !== undefined) return known;
    try {
      const file = openSync(join(this.#folder, stream), 'r');
      this.#files.set(stream, file);
      return file;
    } catch (fault) {
      // The launcher has not made it yet.
      if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw fault;
    }
  }
}
