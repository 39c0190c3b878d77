/** Cuts what a terminal sends into keys, pastes and reports, wherever the parts of it begin and end. */
import { StringDecoder } from 'node:string_decoder';

import { type Key, readKey } from './keys.ts';

/** One thing that came from the terminal; `data` is what it sent. */
export type TerminalInput =
  | { readonly kind: 'key'; readonly data: string; readonly key: Key }
  | { readonly kind: 'paste'; readonly data: string; readonly text: string }
  | { readonly kind: 'report'; readonly data: string };

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** Nobody types this much at once; a terminal without brackets sends a paste like this. */
const BURST_LENGTH = 32;
/** The rest of a burst comes at once. */
const BURST_GAP_MS = 10;
/** A string sequence longer than that is none. */
const MOST_HELD_BACK = 65_536;

// oxlint-disable no-control-regex -- control sequences are what this is about
const CONTROL_SEQUENCE = /^\x1b\[(?:\[[A-E]|[0-?]*[ -/]*[@-Z\\-~])/;
const OPEN_CONTROL_SEQUENCE = /^\x1b\[(?:\[|[0-?]*[ -/]*)$/;
const RXVT_SEQUENCE = /^\x1b\[\d+\$/;
const SINGLE_SHIFT = /^\x1bO(?:\d;?\d*)?[A-Za-z]/;
const OPEN_SINGLE_SHIFT = /^\x1bO(?:\d;?\d*)?$/;
const STRING_SEQUENCE = /^\x1b[\]P_^X][^\x07\x1b\x18\x1a]*(?:\x07|\x1b\\)/;
/** Alt and a bracket come alone; what follows these was sent with them. */
const BEGUN_ANSWER = /^\x1b(?:\[[\d?>=<]|\]\d|P[\d>!+]|_G)/;
const OPEN_STRING_SEQUENCE = /^\x1b[\]P_^X][^\x07\x1b\x18\x1a]*\x1b?$/;
// oxlint-enable no-control-regex

/** Decodes input that arrives in parts; what is incomplete is held back until the rest comes or `flush` is called. */
export class KeyDecoder {
  readonly #utf8 = new StringDecoder('utf8');
  #held = '';
  #paste: string[] | undefined;
  /** A paste without brackets: it ends when nothing more comes. */
  #burst: string[] | undefined;
  #burstEnd = -Infinity;

  /** Whether something is held back that the next part, or `flush`, completes. */
  get isWaiting(): boolean {
    return this.#burst !== undefined || (this.#held !== '' && this.#paste === undefined);
  }

  /** Whether that is the beginning of an answer of the terminal, or of a key: more than anybody types at once. */
  get isInsideAnswer(): boolean {
    return this.isWaiting && BEGUN_ANSWER.test(this.#held);
  }

  /** What is complete with this part. `now` is a clock in milliseconds: it tells a burst from typing. */
  push(part: Uint8Array, now: number = performance.now()): TerminalInput[] {
    const text = this.#utf8.write(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    const { inputs, rest } = this.#takeBurst(text, now);
    if (rest === '') return inputs;
    this.#held += rest;
    return [...inputs, ...this.#endBurst(), ...this.#take(false)];
  }

  /**
   * Takes what belongs to a paste without brackets. Answers of the terminal may come in the middle of it; what follows them still
   * belongs to it, and its line ends must send nothing.
   */
  #takeBurst(part: string, now: number): { inputs: TerminalInput[]; rest: string } {
    const inputs: TerminalInput[] = [];
    if (this.#paste !== undefined) return { inputs, rest: part };
    let rest = this.#held + part;
    this.#held = '';
    while (rest !== '' && !rest.startsWith(PASTE_START)) {
      const at = rest.indexOf('\x1b');
      const plain = at < 0 ? rest : rest.slice(0, at);
      if (plain === '') {
        const length = nextLength(rest, false);
        if (length === 0) break;
        const input = asInput(rest.slice(0, length));
        if (input.kind === 'key') inputs.push(...this.#endBurst());
        inputs.push(input);
        rest = rest.slice(length);
      } else if (this.#isBurst(plain, now)) {
        (this.#burst ??= []).push(plain);
        this.#burstEnd = now + BURST_GAP_MS;
        rest = rest.slice(plain.length);
      } else break;
    }
    // The rest of a sequence comes with the next part.
    if (this.#burst !== undefined && rest !== '' && !rest.startsWith(PASTE_START)) {
      this.#held = rest;
      rest = '';
    }
    return { inputs, rest };
  }

  /** What was held back, as it is: an escape that nothing follows is the Escape key. */
  flush(): TerminalInput[] {
    if (this.#burst) return this.#endBurst();
    return this.#paste === undefined ? this.#take(true) : [];
  }

  #isBurst(text: string, now: number): boolean {
    // What is not flushed yet is not over, however busy the process was in between: its line ends must send nothing.
    if (this.#burst !== undefined || (text !== '' && now <= this.#burstEnd)) return true;
    return text.length >= BURST_LENGTH && /[\r\n][^\r\n]/.test(text);
  }

  #endBurst(): TerminalInput[] {
    if (!this.#burst) return [];
    const text = this.#burst.join('');
    this.#burst = undefined;
    return [{ kind: 'paste', data: PASTE_START + text + PASTE_END, text: asLines(text) }];
  }

  #take(isFinal: boolean): TerminalInput[] {
    const inputs: TerminalInput[] = [];
    for (;;) {
      if (this.#paste) {
        const done = this.#takePaste(this.#paste);
        if (!done) return inputs;
        inputs.push(done);
      }
      if (this.#held === '') return inputs;
      const length = nextLength(this.#held, isFinal);
      if (length === 0) return inputs;
      const data = this.#held.slice(0, length);
      this.#held = this.#held.slice(length);
      if (data === PASTE_START) this.#paste = [];
      else inputs.push(asInput(data));
    }
  }

  #takePaste(parts: string[]): TerminalInput | undefined {
    const end = this.#held.indexOf(PASTE_END);
    if (end < 0) {
      // The end may be cut: as many characters as it could have stay.
      const keep = openEnd(this.#held);
      parts.push(this.#held.slice(0, this.#held.length - keep));
      this.#held = this.#held.slice(this.#held.length - keep);
      return undefined;
    }
    parts.push(this.#held.slice(0, end));
    this.#held = this.#held.slice(end + PASTE_END.length);
    this.#paste = undefined;
    const text = parts.join('');
    return { kind: 'paste', data: PASTE_START + text + PASTE_END, text: asLines(text) };
  }
}

/** Terminals send a carriage return for a line's end. */
const asLines = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** How many characters at the end of the text could begin the end of a paste. */
function openEnd(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length -= 1) {
    if (PASTE_END.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

function asInput(data: string): TerminalInput {
  const key = readKey(data);
  return key ? { kind: 'key', data, key } : { kind: 'report', data };
}

/** The length of the next key or sequence; 0 when it is not complete. */
function nextLength(text: string, isFinal: boolean): number {
  if (!text.startsWith('\x1b')) return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  if (text.length === 1) return isFinal ? 1 : 0;
  const whole = (RXVT_SEQUENCE.exec(text) ??
    CONTROL_SEQUENCE.exec(text) ??
    SINGLE_SHIFT.exec(text) ??
    STRING_SEQUENCE.exec(text))?.[0];
  if (whole !== undefined) return whole.length;
  const isOpen =
    OPEN_CONTROL_SEQUENCE.test(text) ||
    OPEN_SINGLE_SHIFT.test(text) ||
    (text.length < MOST_HELD_BACK && OPEN_STRING_SEQUENCE.test(text));
  if (isOpen && !isFinal) return 0;
  // The rest of an answer was lost: what came of it is not typed text.
  if (isOpen && BEGUN_ANSWER.test(text)) return text.length;
  // Alt and a key; an escape before a sequence is Alt, too. What began like a sequence and is none is Alt and its first.
  const rest = text.slice(1);
  if (rest.startsWith('\x1b') && !isOpen) {
    const length = nextLength(rest, isFinal);
    if (length === 0) return 0;
    // Before an answer of the terminal, or another escape, it was the Escape key.
    return length > 1 && readKey(rest.slice(0, length)) ? length + 1 : 1;
  }
  return 1 + ((rest.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
}
