/**
 * Tenon's side of a component that lives in an extension's process. It answers every frame with the rows that it has, asks for
 * newer ones at a bounded rate and one request at a time, and sends keys in their order. An extension that does not answer
 * keeps its last rows; Esc and Ctrl-C then close what has the keys.
 */
import type { RemoteEditor } from '@tenon/host';
import { cutRows } from '../screen-limits.ts';

/** Asks the runtime something about the component. */
export type SendToComponent = (what: string, value?: unknown) => Promise<unknown>;

/** What a component is made of. */
export interface RemoteRowsParts {
  readonly send: SendToComponent;
  /** It has other rows than before. */
  changed(): void;
  /** The user wants to leave a component that does not answer. */
  abandoned(): void;
}

/** At most about thirty requests for rows in a second. */
const DRAW_INTERVAL_MS = 33;
/** Keys that wait for an answer longer than this let the user leave. */
const STALLED_MS = 2_000;
const MAX_WAITING_KEYS = 256;
const MAX_WAITING_CHARS = 2 * 1024 * 1024;
/** Rows of other widths, for a window that is being resized. */
const MAX_WIDTHS = 4;
const LEAVE = new Set(['\u001b', '\u0003', '\u001b[27u', '\u001b[99;5u']);

/** The rows of a component elsewhere. */
export class RemoteRows implements RemoteEditor {
  readonly #parts: RemoteRowsParts;
  readonly #byWidth = new Map<number, string[]>();
  #last: string[] = [];
  #width: number;
  #isAsking = false;
  #isStale = true;
  #askedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #waiting: string[] = [];
  #waitingChars = 0;
  #sentAt: number | undefined;
  #text = '';
  /** Keys that the component got and has not given back. */
  readonly #delivered: string[] = [];
  #hasActivity = false;
  #isClosed = false;

  constructor(width: number, parts: RemoteRowsParts) {
    this.#parts = parts;
    this.#width = Math.max(1, width);
    this.#ask();
  }

  render(width: number): string[] {
    if (width !== this.#width) {
      this.#width = width;
      if (!this.#byWidth.has(width)) this.refresh();
    }
    return this.#byWidth.get(width) ?? this.#last;
  }

  handleInput(data: string): void {
    if (this.#isClosed) return;
    const isStalled = this.#sentAt !== undefined && Date.now() - this.#sentAt > STALLED_MS;
    if (isStalled && LEAVE.has(data)) return this.#parts.abandoned();
    const isTooMuch = this.#waiting.length >= MAX_WAITING_KEYS || this.#waitingChars + data.length > MAX_WAITING_CHARS;
    if (isTooMuch) return;
    this.#waiting.push(data);
    this.#waitingChars += data.length;
    if (this.#sentAt === undefined) void this.#sendKeys();
  }

  invalidate(): void {
    this.#send('invalidate');
    this.refresh();
  }

  setFocused(isFocused: boolean): void {
    this.#send('focus', isFocused);
    this.refresh();
  }

  text(): string {
    return this.#text;
  }

  setText(text: string): void {
    this.#text = text;
    this.#send('setText', text);
  }

  insert(text: string): void {
    this.#send('insert', text);
  }

  addHistory(text: string): void {
    this.#send('addHistory', text);
  }

  /** What the editor says stands in it. */
  noteText(text: string): void {
    this.#text = text;
  }

  /** Whether this key is one that the user pressed in it; each counts once. */
  takeDelivered(data: string): boolean {
    const at = this.#delivered.indexOf(data);
    if (at !== -1) this.#delivered.splice(at, 1);
    return at !== -1;
  }

  /** Whether the user pressed a key in it since this was asked last. */
  takeActivity(): boolean {
    const hadActivity = this.#hasActivity;
    this.#hasActivity = false;
    return hadActivity;
  }

  /** It looks different: asks for its rows, at once or as soon as the rate allows. More calls mean the same. */
  refresh(): void {
    this.#isStale = true;
    if (this.#isClosed || this.#isAsking || this.#timer) return;
    const wait = this.#askedAt + DRAW_INTERVAL_MS - Date.now();
    if (wait <= 0) return this.#ask();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#ask();
    }, wait);
    this.#timer.unref();
  }

  /** Nothing is asked any more; the last rows stay for whoever still draws them. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #ask(): void {
    const width = this.#width;
    this.#isStale = false;
    this.#isAsking = true;
    this.#askedAt = Date.now();
    this.#parts
      .send('draw', width)
      .then(
        (answer) => this.#take(width, answer),
        () => undefined, // The process is gone, which closes the component, or its answer was no answer: the last rows stay.
      )
      .finally(() => {
        this.#isAsking = false;
        if (this.#isStale) this.refresh();
      });
  }

  #take(width: number, answer: unknown): void {
    if (this.#isClosed || !Array.isArray(answer)) return;
    const rows = cutRows(answer.map(String));
    const isSame =
      this.#byWidth.has(width) && rows.length === this.#last.length && rows.every((row, at) => row === this.#last[at]);
    this.#byWidth.delete(width);
    // Those of other widths are older than these, but fit their window better until it is asked for again.
    if (!isSame) this.#byWidth.clear();
    this.#byWidth.set(width, rows);
    for (const other of [...this.#byWidth.keys()].slice(0, -MAX_WIDTHS)) this.#byWidth.delete(other);
    this.#last = rows;
    if (!isSame) this.#parts.changed();
  }

  async #sendKeys(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const keys = this.#waiting;
      this.#waiting = [];
      this.#waitingChars = 0;
      this.#sentAt = Date.now();
      this.#delivered.push(...keys);
      this.#hasActivity = true;
      this.#delivered.splice(0, this.#delivered.length - MAX_WAITING_KEYS);
      try {
        await this.#parts.send('input', keys);
      } catch {
        break; // The process is gone, which closes the component.
      }
      this.refresh();
    }
    this.#sentAt = undefined;
  }

  #send(what: string, value?: unknown): void {
    if (this.#isClosed) return;
    this.#parts.send(what, value).catch(() => undefined); // as above
  }
}
