import type { Duplex } from 'node:stream';
import { LineDecoder, TokenBucket } from './frames.ts';

/** What one side puts up with from the other. */
export interface ChannelLimits {
  readonly maxFrameBytes: number;
  /** Messages per second on average; more are slowed down by not reading them. */
  readonly perSecond: number;
  /** Messages at once. */
  readonly burst: number;
  /** A side that has to be slowed down for longer than this floods. */
  readonly floodMs: number;
  /** Bytes that may wait because the other side does not read. */
  readonly maxUnsentBytes: number;
}

/** Limits for a pack: far above what honest use needs, far below what would disturb Tenon. */
export const PACK_LIMITS: ChannelLimits = {
  maxFrameBytes: 8 * 1024 * 1024,
  perSecond: 2_000,
  burst: 4_000,
  floodMs: 3_000,
  maxUnsentBytes: 64 * 1024 * 1024,
};

/** Limits for what the host process takes from Tenon, which it has to trust anyway. */
export const HOST_LIMITS: ChannelLimits = {
  ...PACK_LIMITS,
  maxFrameBytes: 64 * 1024 * 1024,
  perSecond: Number.MAX_SAFE_INTEGER,
  burst: Number.MAX_SAFE_INTEGER,
};

/** Why a channel was given up. */
export type Violation = 'protocol' | 'flood' | 'unread';

/** What happens on a channel. */
export interface ChannelEvents {
  onMessage(message: Record<string, unknown>): void;
  /** The other side broke the rules; the channel is closed. */
  onViolation(kind: Violation, reason: string): void;
  onClose(): void;
}

/** Newline-delimited JSON over a stream, with limits in both directions. */
export class Channel {
  readonly #stream: Duplex;
  readonly #limits: ChannelLimits;
  readonly #events: ChannelEvents;
  readonly #decoder: LineDecoder;
  readonly #bucket: TokenBucket;
  #slowSince: number | undefined;
  #lastSlow = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(stream: Duplex, limits: ChannelLimits, events: ChannelEvents) {
    this.#stream = stream;
    this.#limits = limits;
    this.#events = events;
    this.#decoder = new LineDecoder(limits.maxFrameBytes);
    this.#bucket = new TokenBucket(limits);
    // One chunk after the other: while one waits because the other side is slowed down, the next must not overtake it.
    let reading = Promise.resolve();
    stream.on('data', (chunk: Buffer) => (reading = reading.then(() => this.#read(chunk))));
    stream.on('close', () => this.close());
    stream.on('end', () => this.close());
    // The other end is gone: the reason shows in how its process ended.
    stream.on('error', () => this.close());
  }

  /** Sends one message; says nothing when the channel is closed, because the other side is gone then. */
  send(message: Record<string, unknown>): void {
    if (this.#closed) return;
    this.#stream.write(`${JSON.stringify(message)}\n`);
    if (this.#stream.writableLength > this.#limits.maxUnsentBytes) {
      this.#violate('unread', 'it does not read its messages');
    }
  }

  /** Whether the other side has to be slowed down at the moment. */
  get isFlooded(): boolean {
    return this.#stream.isPaused() && this.#slowSince !== undefined;
  }

  /** What is said about a side that floods. */
  get floodText(): string {
    return `it sent more than ${this.#limits.perSecond} messages per second for too long`;
  }

  /** Ends the channel; later messages are dropped. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stream.destroy();
    this.#events.onClose();
  }

  async #read(chunk: Buffer): Promise<void> {
    try {
      for (const line of this.#decoder.push(chunk)) {
        if (!this.#bucket.take()) {
          this.#stream.pause();
          if (!(await this.#slowDown())) return;
          this.#bucket.take();
        }
        if (this.#closed) return;
        if (line !== '') this.#deliver(line);
      }
    } catch (fault) {
      this.#violate('protocol', fault instanceof Error ? fault.message : String(fault));
      return;
    }
    if (this.#stream.isPaused() && !this.#closed) this.#stream.resume();
  }

  /** Waits until a good part of the burst is free again; false when the other side is slowed down for too long. */
  async #slowDown(): Promise<boolean> {
    const now = performance.now();
    // Only a side that catches its breath between bursts counts as slowed down anew.
    if (this.#slowSince === undefined || now - this.#lastSlow > this.#limits.floodMs) this.#slowSince = now;
    this.#lastSlow = now;
    if (now - this.#slowSince > this.#limits.floodMs) {
      this.#violate('flood', this.floodText);
      return false;
    }
    await new Promise<void>((resolve) => {
      this.#timer = setTimeout(resolve, this.#bucket.waitMs(this.#limits.perSecond / 10));
    });
    return !this.#closed;
  }

  #deliver(line: string): void {
    const message: unknown = JSON.parse(line);
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      throw new TypeError('a message is not an object');
    this.#events.onMessage(message as Record<string, unknown>);
  }

  #violate(kind: Violation, reason: string): void {
    if (this.#closed) return;
    this.#events.onViolation(kind, reason);
    this.close();
  }
}
