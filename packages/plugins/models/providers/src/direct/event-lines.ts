import { UnreadableAnswer } from '../mending/values.ts';

const LF = 10;
const CR = 13;
const COLON = 58;
/** No event of a model is longer; a server that never ends its line must not fill the memory. */
const MAX_LINE_BYTES = 64 << 20;

/** Called for each event: its data, and its name if it has one. */
type OnEvent = (data: string, name: string | undefined) => void;

/**
 * Reads server-sent events from bytes, however they are cut. Lines end with LF, CR LF or CR, none of which can be a part of another
 * character in UTF-8, so that only whole lines are decoded.
 */
export class EventLines {
  readonly #onEvent: OnEvent;
  /** The beginning of a line whose end has not come. */
  #begun: Uint8Array[] = [];
  #begunBytes = 0;
  /** A CR was the last byte: an LF that follows belongs to it. */
  #afterCr = false;
  #isFirst = true;
  #name: string | undefined;
  #data: string | undefined;

  constructor(onEvent: OnEvent) {
    this.#onEvent = onEvent;
  }

  /** Takes the next bytes. */
  take(bytes: Uint8Array): void {
    let from = this.#afterCr && bytes[0] === LF ? 1 : 0;
    if (bytes.length > 0) this.#afterCr = false;
    let lf = bytes.indexOf(LF, from);
    let cr = bytes.indexOf(CR, from);
    while (lf >= 0 || cr >= 0) {
      const isCr = cr >= 0 && (lf < 0 || cr < lf);
      const end = isCr ? cr : lf;
      this.#line(this.#text(bytes.subarray(from, end)));
      from = end + 1;
      if (isCr && from === bytes.length) this.#afterCr = true;
      if (isCr && bytes[from] === LF) from++;
      if (lf >= 0 && lf < from) lf = bytes.indexOf(LF, from);
      if (cr >= 0 && cr < from) cr = bytes.indexOf(CR, from);
    }
    if (from === bytes.length) return;
    this.#begun.push(from === 0 ? bytes : bytes.subarray(from));
    this.#begunBytes += bytes.length - from;
    if (this.#begunBytes > MAX_LINE_BYTES) throw new UnreadableAnswer('a line of its answer does not end');
  }

  /** The last event counts also without the end of its line and the empty line after it. */
  end(): void {
    if (this.#begunBytes > 0) this.#line(this.#text(new Uint8Array()));
    this.#line('');
  }

  #text(rest: Uint8Array): string {
    let line = rest;
    if (this.#begunBytes > 0) {
      line = Buffer.concat([...this.#begun, rest]);
      this.#begun = [];
      this.#begunBytes = 0;
    }
    const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString();
    if (!this.#isFirst) return text;
    this.#isFirst = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch();
    if (line.startsWith('data')) {
      const value = valueOf(line, 4);
      if (value !== undefined) this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (line.startsWith('event')) this.#name = valueOf(line, 5) ?? this.#name;
    // Comments, ids and waits mean nothing to an answer.
  }

  #dispatch(): void {
    const [data, name] = [this.#data, this.#name];
    this.#data = undefined;
    this.#name = undefined;
    if (data !== undefined) this.#onEvent(data, name === '' ? undefined : name);
  }
}

/** The value of the field whose name has this length; nothing when the name goes on. */
function valueOf(line: string, length: number): string | undefined {
  if (line.length === length) return '';
  if (line.charCodeAt(length) !== COLON) return undefined;
  return line.slice(line.charCodeAt(length + 1) === 32 ? length + 2 : length + 1);
}
