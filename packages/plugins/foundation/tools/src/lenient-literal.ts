/** Reads values that a model wrote as text: JSON, and what JavaScript and Python would write instead. */

const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
};

/** Takes a Markdown code fence, then one pair of quotes, off a text. */
export function unwrapText(text: string): string {
  const trimmed = text.trim();
  const fenced = /^(`{3,})[^\n`]*\n([\s\S]*?)\n?\1$/.exec(trimmed)?.[2]?.trim() ?? trimmed;
  const quoted = /^(["'`])([\s\S]*)\1$/.exec(fenced);
  const inner = quoted?.[2];
  return inner !== undefined && !inner.includes(quoted?.[1] ?? '') ? inner.trim() : fenced;
}

/** The object or list that a text spells out; undefined for everything else. */
export function parseLiteral(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON; what else it could be is tried next, and what is nothing known stays a text.
    return new LiteralReader(text).read();
  }
}

/** A reader for single quotes, bare keys, trailing commas and Python's words. It gives up on anything else. */
class LiteralReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    try {
      const value = this.#value(0);
      this.#space();
      return this.#at === this.#text.length ? value : undefined;
    } catch (fault) {
      if (fault instanceof SyntaxError) return undefined;
      throw fault;
    }
  }

  #value(depth: number): unknown {
    if (depth > 100) throw new SyntaxError('too deep');
    this.#space();
    const next = this.#text[this.#at];
    if (next === '[') return this.#list(depth);
    if (next === '{') return this.#object(depth);
    if (next === '"' || next === "'") return this.#quoted(next);
    const word = /^[+-]?[\w.]+(?:[eE][+-]?\d+)?/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#at += word.length;
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    const number = word === '' ? Number.NaN : Number(word);
    if (!Number.isFinite(number)) throw new SyntaxError('no value');
    return number;
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    while (!this.#ends(']')) {
      items.push(this.#value(depth + 1));
      this.#separator(']');
    }
    return items;
  }

  #object(depth: number): Record<string, unknown> {
    const members: [string, unknown][] = [];
    this.#at++;
    while (!this.#ends('}')) {
      const quote = this.#text[this.#at];
      const bare = /^[A-Za-z_$][\w$]*/.exec(this.#text.slice(this.#at))?.[0];
      const key = quote === '"' || quote === "'" ? this.#quoted(quote) : bare;
      if (key === undefined) throw new SyntaxError('no key');
      if (key === bare) this.#at += bare.length;
      this.#space();
      if (this.#text[this.#at++] !== ':') throw new SyntaxError('no colon');
      members.push([key, this.#value(depth + 1)]);
      this.#separator('}');
    }
    return Object.fromEntries(members);
  }

  #ends(close: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== close) return false;
    this.#at++;
    return true;
  }

  #separator(close: string): void {
    this.#space();
    if (this.#text[this.#at] === ',') this.#at++;
    else if (this.#text[this.#at] !== close) throw new SyntaxError('no comma');
  }

  #quoted(quote: string): string {
    let out = '';
    this.#at++;
    for (;;) {
      const char = this.#text[this.#at++];
      if (char === undefined) throw new SyntaxError('no end of text');
      if (char === quote) return out;
      out += char === '\\' ? this.#escaped() : char;
    }
  }

  #escaped(): string {
    const char = this.#text[this.#at++];
    if (char === undefined) throw new SyntaxError('no end of text');
    if (char === 'u') {
      const code = /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#at))?.[0];
      if (code === undefined) throw new SyntaxError('no code');
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    return { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[char] ?? char;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }
}
