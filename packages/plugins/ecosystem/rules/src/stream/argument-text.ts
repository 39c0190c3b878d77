/** The arguments of a tool call while they stream: the texts in them, decoded, and the files that they name. */
import { isPathKey, pathInEditLine } from '../call-paths.ts';

type Level = { readonly kind: 'object' | 'array'; key: string; expectsKey: boolean };

/** A path, and how long the text was when it was known. */
export interface FoundPath {
  readonly path: string;
  readonly at: number;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const MAX_PATHS = 200;

/**
 * Reads JSON character by character and gives the texts in it, one line break after each. Keys, numbers and punctuation
 * are left out: a rule is about what is written, not about how JSON spells it. Broken JSON gives whatever looks like text.
 */
export class ArgumentText {
  readonly paths: FoundPath[] = [];
  readonly #readsEdits: boolean;
  readonly #levels: Level[] = [];
  #inText: 'no' | 'key' | 'value' = 'no';
  #escape: string | undefined;
  #word = '';
  #line = '';
  #length = 0;

  constructor(tool: string) {
    this.#readsEdits = tool === 'edit';
  }

  /** Takes the next piece of JSON; gives the text that is new with it. */
  add(json: string): string {
    let text = '';
    for (const char of json.split('')) text += this.#take(char);
    return text;
  }

  #take(char: string): string {
    if (this.#inText === 'no') return this.#outside(char);
    if (this.#escape !== undefined) return this.#escaped(char);
    if (char === '\\') return (this.#escape = '');
    return char === '"' ? this.#endText() : this.#letter(char);
  }

  #outside(char: string): string {
    const level = this.#levels.at(-1);
    if (char === '{' || char === '[') {
      // An array belongs to the key that it is the value of.
      const key = level?.key ?? '';
      this.#levels.push({ kind: char === '{' ? 'object' : 'array', key, expectsKey: char === '{' });
    } else if (char === '}' || char === ']') this.#levels.pop();
    else if (char === ',' && level) level.expectsKey = level.kind === 'object';
    else if (char === '"') {
      this.#inText = level?.expectsKey === true ? 'key' : 'value';
      this.#word = '';
      this.#line = '';
    }
    return '';
  }

  #escaped(char: string): string {
    const escape = (this.#escape ?? '') + char;
    if (escape.startsWith('u') && escape.length < 5 && /^u[0-9a-f]*$/i.test(escape)) {
      this.#escape = escape;
      return '';
    }
    this.#escape = undefined;
    if (/^u[0-9a-f]{4}$/i.test(escape)) return this.#letter(String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
    return this.#letter(ESCAPES[escape] ?? escape);
  }

  #letter(char: string): string {
    if (this.#inText === 'key') {
      this.#word += char;
      return '';
    }
    this.#length += char.length;
    const key = this.#levels.at(-1)?.key ?? '';
    if (isPathKey(key)) this.#word += char;
    else if (this.#readsEdits) {
      if (char === '\n') this.#endLine();
      else this.#line += char;
    }
    return char;
  }

  #endText(): string {
    const level = this.#levels.at(-1);
    const ended = this.#inText;
    this.#inText = 'no';
    if (ended === 'key') {
      if (level) Object.assign(level, { key: this.#word, expectsKey: false });
      return '';
    }
    this.#length++;
    if (isPathKey(level?.key ?? '')) this.#found(this.#word);
    else if (this.#readsEdits) this.#endLine();
    return '\n';
  }

  #endLine(): void {
    const path = pathInEditLine(this.#line);
    this.#line = '';
    if (path !== undefined) this.#found(path);
  }

  #found(path: string): void {
    if (this.paths.length < MAX_PATHS) this.paths.push({ path, at: this.#length });
  }
}
