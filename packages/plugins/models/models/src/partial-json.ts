/**
 * Reads JSON as it arrives. Each character is looked at once, so a tool argument of a megabyte costs the same per
 * character as a short one; the value so far is there after every chunk. Strings grow as they come; numbers and the
 * words true, false and null appear once it is certain where they end.
 */

type Frame =
  | { readonly kind: 'root'; value: unknown }
  | { readonly kind: 'array'; readonly value: unknown[] }
  | { readonly kind: 'object'; readonly value: Record<string, unknown>; key: string };

type State =
  | 'value'
  | 'value-or-end'
  | 'key'
  | 'key-or-end'
  | 'colon'
  | 'after'
  | 'string'
  | 'escape'
  | 'unicode'
  | 'scalar'
  | 'done'
  | 'invalid';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** What the whole text turned out to be. */
export type PartialJsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly value: unknown; readonly problem: string };

/** An incremental JSON reader. The value grows in place: take a copy to keep a moment. */
export class PartialJson {
  readonly #root: Frame = { kind: 'root', value: undefined };
  readonly #stack: Frame[] = [this.#root];
  #state: State = 'value';
  #text = '';
  #textIsKey = false;
  #hex = '';
  #offset = 0;
  #problem = '';

  /** The value as far as it has come; undefined before it begins. */
  get value(): unknown {
    return this.#root.value;
  }

  /** True once the text is one whole JSON value. */
  get complete(): boolean {
    return this.#state === 'done';
  }

  /** Takes the next piece of the text. Pieces after a mistake are ignored. */
  push(chunk: string): this {
    let at = 0;
    while (at < chunk.length && this.#state !== 'invalid') {
      at = this.#state === 'string' ? this.#readString(chunk, at) : this.#readOne(chunk, at);
    }
    this.#offset += chunk.length;
    // A string that goes on in the next chunk is shown as far as it is.
    const inString = this.#state === 'string' || this.#state === 'escape' || this.#state === 'unicode';
    if (inString && !this.#textIsKey) this.#put(this.#text);
    return this;
  }

  /** Says that the text is over. */
  end(): PartialJsonResult {
    if (this.#state === 'scalar') this.#endScalar();
    if (this.#state === 'done') return { ok: true, value: this.value };
    const problem =
      this.#problem || (this.#offset === 0 ? 'there is no text' : `the text ends too early (${this.#state})`);
    return { ok: false, value: this.value, problem };
  }

  #readString(chunk: string, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (code === 34 || code === 92 || code < 32) break;
    }
    if (at > from) this.#text += chunk.slice(from, at);
    if (at === chunk.length) return at;
    const code = chunk.charCodeAt(at);
    if (code === 92) this.#state = 'escape';
    else if (code === 34) this.#endString();
    else this.#fail(at, 'a control character in a string');
    return at + 1;
  }

  #readOne(chunk: string, at: number): number {
    const char = chunk[at] as string;
    if (this.#state === 'escape') this.#escape(char, at);
    else if (this.#state === 'unicode') this.#unicode(char, at);
    else if (this.#state === 'scalar') {
      if (/[\w.+-]/.test(char)) this.#text += char;
      else {
        this.#endScalar(at);
        return at; // The character belongs to what comes after the scalar.
      }
    } else if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') this.#token(char, at);
    return at + 1;
  }

  #token(char: string, at: number): void {
    const frame = this.#stack.at(-1) as Frame;
    switch (this.#state) {
      case 'value-or-end':
        if (char === ']') return this.#close();
        return this.#beginValue(char, at);
      case 'value':
        return this.#beginValue(char, at);
      case 'key-or-end':
        if (char === '}') return this.#close();
        return this.#beginKey(char, at);
      case 'key':
        return this.#beginKey(char, at);
      case 'colon':
        if (char !== ':') return this.#fail(at, `"${char}" where a colon belongs`);
        this.#state = 'value';
        return;
      case 'after':
        if (char === ',') this.#state = frame.kind === 'object' ? 'key' : 'value';
        else if (char === (frame.kind === 'object' ? '}' : ']')) this.#close();
        else this.#fail(at, `"${char}" where a comma or the end belongs`);
        return;
      default:
        this.#fail(at, `"${char}" after the end`);
    }
  }

  #beginKey(char: string, at: number): void {
    if (char !== '"') return this.#fail(at, `"${char}" where a name belongs`);
    this.#text = '';
    this.#textIsKey = true;
    this.#state = 'string';
  }

  #beginValue(char: string, at: number): void {
    if (char === '{') this.#open({ kind: 'object', value: {}, key: '' }, 'key-or-end');
    else if (char === '[') this.#open({ kind: 'array', value: [] }, 'value-or-end');
    else if (char === '"') {
      this.#text = '';
      this.#textIsKey = false;
      this.#state = 'string';
      this.#begin('');
    } else if (/[-0-9tfn]/.test(char)) {
      this.#text = char;
      this.#state = 'scalar';
    } else this.#fail(at, `"${char}" where a value belongs`);
  }

  #open(frame: Exclude<Frame, { kind: 'root' }>, state: State): void {
    this.#begin(frame.value);
    this.#stack.push(frame);
    this.#state = state;
  }

  #close(): void {
    this.#stack.pop();
    this.#afterValue();
  }

  #afterValue(): void {
    this.#state = this.#stack.length === 1 ? 'done' : 'after';
  }

  /** Adds a new value to the innermost container. */
  #begin(value: unknown): void {
    const frame = this.#stack.at(-1) as Frame;
    if (frame.kind === 'array') frame.value.push(value);
    else this.#put(value);
  }

  /** Sets the value that was begun last. */
  #put(value: unknown): void {
    const frame = this.#stack.at(-1) as Frame;
    if (frame.kind === 'array') frame.value[frame.value.length - 1] = value;
    else if (frame.kind === 'root') frame.value = value;
    // As in JSON.parse, "__proto__" is an ordinary name and not the prototype.
    else if (frame.key === '__proto__')
      Object.defineProperty(frame.value, frame.key, { value, writable: true, enumerable: true, configurable: true });
    else frame.value[frame.key] = value;
  }

  #endString(): void {
    if (this.#textIsKey) {
      (this.#stack.at(-1) as Extract<Frame, { kind: 'object' }>).key = this.#text;
      this.#state = 'colon';
    } else {
      this.#put(this.#text);
      this.#afterValue();
    }
  }

  #endScalar(at = 0): void {
    const text = this.#text;
    if (WORDS.has(text)) this.#begin(WORDS.get(text));
    else if (NUMBER.test(text)) this.#begin(Number(text));
    else return this.#fail(at, `"${text.slice(0, 20)}" is not a value`);
    this.#afterValue();
  }

  #escape(char: string, at: number): void {
    const plain = ESCAPES[char];
    if (plain !== undefined) {
      this.#text += plain;
      this.#state = 'string';
    } else if (char === 'u') {
      this.#hex = '';
      this.#state = 'unicode';
    } else this.#fail(at, `unknown escape "\\${char}"`);
  }

  #unicode(char: string, at: number): void {
    if (!/[0-9a-fA-F]/.test(char)) return this.#fail(at, 'a broken \\u escape');
    this.#hex += char;
    if (this.#hex.length < 4) return;
    this.#text += String.fromCharCode(Number.parseInt(this.#hex, 16));
    this.#state = 'string';
  }

  #fail(at: number, problem: string): void {
    this.#problem = `${problem} at character ${this.#offset + at}`;
    this.#state = 'invalid';
  }
}
