/** JSON that has come only in part: what is there already. */

/** The value so far; a text that is cut off is as long as it is, a name or number that is cut off is left out. */
export function readPartialJson(text: string): { readonly value: unknown; readonly isComplete: boolean } {
  try {
    return { value: JSON.parse(text) as unknown, isComplete: true };
  } catch {
    // Not whole yet, which is what this is for.
    const reader = new PartialReader(text);
    return { value: reader.value(), isComplete: false };
  }
}

const NOTHING = Symbol('nothing yet');

class PartialReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    const value = this.#read(0);
    return value === NOTHING ? undefined : value;
  }

  #read(depth: number): unknown {
    this.#skip();
    const char = this.#text[this.#at];
    if (depth > 64) return NOTHING;
    if (char === '{') return this.#object(depth);
    if (char === '[') return this.#array(depth);
    if (char === '"') return this.#string().text;
    const word = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}])/.exec(
      this.#text.slice(this.#at, this.#at + 40),
    );
    if (!word) return NOTHING;
    this.#at += word[0].length;
    return JSON.parse(word[0]) as unknown;
  }

  #object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#at++;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] !== '"') break;
      const key = this.#string();
      this.#skip();
      if (!key.isWhole || this.#text[this.#at] !== ':') break;
      this.#at++;
      const value = this.#read(depth + 1);
      if (value === NOTHING) break;
      Object.defineProperty(object, key.text, { value, enumerable: true, configurable: true, writable: true });
      this.#skip();
      if (this.#text[this.#at] !== ',') break;
      this.#at++;
    }
    if (this.#text[this.#at] === '}') this.#at++;
    return object;
  }

  #array(depth: number): unknown[] {
    const array: unknown[] = [];
    this.#at++;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === ']') break;
      const value = this.#read(depth + 1);
      if (value === NOTHING) break;
      array.push(value);
      this.#skip();
      if (this.#text[this.#at] !== ',') break;
      this.#at++;
    }
    if (this.#text[this.#at] === ']') this.#at++;
    return array;
  }

  #string(): { text: string; isWhole: boolean } {
    const start = ++this.#at;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"')
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    const isWhole = this.#at < this.#text.length;
    const raw = this.#text.slice(start, Math.min(this.#at, this.#text.length));
    this.#at = Math.min(this.#at + 1, this.#text.length);
    return { text: unescape(isWhole ? raw : raw.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '')), isWhole };
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function unescape(raw: string): string {
  return raw.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code?: string, char?: string) =>
    code === undefined ? (ESCAPES[char ?? ''] ?? char ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
