import type { Readable } from 'node:stream';
import { CutOffError, StallError } from '../failure.ts';
import type { Holding } from './holding.ts';

/** More than this is not held for a slow consumer: the provider has to wait. */
const MAX_HELD = 64 << 10;
/** What follows the end of an answer is let through for this long, so that the connection can be used again. */
const DRAIN_MS = 1000;

/** An answer that has taken this long is long: what comes of it may wait with the system while pieces are collected. */
const LONG_MS = 1000;
/** What the system held is there at once; what comes later than this has only just arrived. */
const HELD_WITHIN_MS = 4;

/** `performance` would load ten modules of Node that nothing else in a prompt needs. */
const now = (): number => process.uptime() * 1000;

/** The body of an answer, read piece by piece. Gives up when it is told to, or when nothing comes for too long. */
export class Incoming {
  readonly #stream: Readable;
  readonly #stallMs: number;
  #chunks: Uint8Array[] = [];
  #held = 0;
  #isEnded = false;
  #isLeft = false;
  #fault: Error | undefined;
  #wake: (() => void) | undefined;
  #waitsSince = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Before this moment pieces are collected. */
  #notBefore = 0;
  #collects: NodeJS.Timeout | undefined;
  readonly #holding: Holding | undefined;
  readonly #began = now();
  /** True while pieces come more often than they are read. */
  #isDense = false;
  #releasedAt: number | undefined;

  constructor(stream: Readable, stallMs: number, holding?: Holding) {
    this.#stream = stream;
    this.#stallMs = stallMs;
    this.#holding = holding;
    stream.on('data', (chunk: Uint8Array) => {
      this.#held += chunk.length;
      if (this.#releasedAt !== undefined) this.#isDense = now() - this.#releasedAt < HELD_WITHIN_MS;
      this.#releasedAt = undefined;
      if (this.#isLeft) return void (this.#held > MAX_HELD && stream.destroy());
      this.#chunks.push(chunk);
      if (this.#held > MAX_HELD) stream.pause();
      if (this.#wake) this.#came(this.#wake);
    });
    stream.on('end', () => {
      this.#isEnded = true;
      this.#wake?.();
    });
    // The kind of the break does not matter: whatever it was, the answer is not whole.
    const broken = () => this.fail(new CutOffError('the connection broke before the answer was whole'));
    stream.on('error', broken).on('close', broken);
  }

  /** The pieces that have come; nothing at the end. What came before a fault is given first. */
  async read(): Promise<readonly Uint8Array[] | undefined> {
    while (!this.#isReady()) {
      if (this.#fault) throw this.#fault;
      if (this.#isEnded) return undefined;
      await this.#more();
    }
    const chunks = this.#chunks;
    if (chunks.length > 1) this.#isDense = true;
    this.#chunks = [];
    this.#held = 0;
    if (this.#stream.isPaused()) this.#stream.resume();
    return chunks;
  }

  /**
   * Pieces that come from now on and within this time are read as one. In a long answer that comes quickly the system keeps them
   * meanwhile: waking up for each of them costs more than all that is done with it. Its end is then seen later by as much.
   */
  collect(ms: number): void {
    const from = now();
    this.#notBefore = from + ms;
    if (!this.#holding || !this.#isDense || this.#isEnded || this.#collects || from - this.#began < LONG_MS) return;
    this.#holding.hold();
    this.#collects = setTimeout(() => this.#collected(), ms);
  }

  #isReady(): boolean {
    if (this.#chunks.length === 0) return false;
    return this.#isEnded || this.#fault !== undefined || this.#held > MAX_HELD || now() >= this.#notBefore;
  }

  #came(wake: () => void): void {
    const rest = this.#held > MAX_HELD ? 0 : this.#notBefore - now();
    if (rest <= 0) wake();
    else this.#collects ??= setTimeout(() => this.#collected(), Math.ceil(rest));
  }

  #collected(): void {
    this.#collects = undefined;
    this.#notBefore = 0;
    if (this.#chunks.length > 0) this.#wake?.();
    this.#release();
  }

  #release(): void {
    if (this.#holding?.release()) this.#releasedAt = now();
  }

  /** The whole body as text, cut off where it is longer than anybody reads. */
  async text(maxBytes: number): Promise<string> {
    const parts: Uint8Array[] = [];
    for (let size = 0; size < maxBytes;) {
      const chunks = await this.read();
      if (!chunks) break;
      parts.push(...chunks);
      size += chunks.reduce((sum, { length }) => sum + length, 0);
    }
    return Buffer.concat(parts).toString('utf8', 0, maxBytes);
  }

  /** Ends the waiting with a fault, and hangs up. */
  fail(fault: Error): void {
    if (this.#isEnded || this.#fault) return;
    this.#fault = fault;
    this.#stream.destroy();
    this.#wake?.();
  }

  /** Nobody reads any more. After a whole answer the connection stays, if nothing but its end follows. */
  leave(isWhole: boolean): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#collects);
    this.#holding?.release();
    this.#wake = undefined;
    if (this.#isEnded) return;
    if (!isWhole) return void this.#stream.destroy();
    this.#isLeft = true;
    this.#chunks = [];
    this.#held = 0;
    const timer = setTimeout(() => this.#stream.destroy(), DRAIN_MS).unref();
    this.#stream.once('close', () => clearTimeout(timer)).resume();
  }

  #more(): Promise<void> {
    this.#waitsSince = now();
    // One timer for the whole answer, moved when it fires: setting one for each piece would cost more than reading it.
    this.#timer ??= setTimeout(this.#look, this.#stallMs);
    return new Promise((resolve) => {
      const wake = () => {
        this.#wake = undefined;
        resolve();
      };
      this.#wake = wake;
      if (this.#chunks.length > 0) this.#came(wake);
    });
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    // Only waiting for the provider counts: a consumer may take its time, and what has come may be collected.
    if (!this.#wake || this.#chunks.length > 0) return;
    const rest = this.#waitsSince + this.#stallMs - now();
    if (rest > 1) this.#timer = setTimeout(this.#look, rest);
    else this.fail(stalled(this.#stallMs));
  };
}

/** The fault of a provider that sends nothing. */
export function stalled(stallMs: number): StallError {
  return new StallError(`nothing came for ${Math.round(stallMs / 100) / 10} s, the connection was given up`);
}
