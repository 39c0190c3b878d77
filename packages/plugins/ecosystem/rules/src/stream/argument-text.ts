/** The arguments of a tool call while they stream: the texts in them, decoded, and the input as far as it was complete. */
import { PartialJson } from '@tenon/models/api';

type Level = { readonly kind: 'object' | 'array'; expectsKey: boolean };

/** A point at which a text, or a line of one, was complete. */
interface Pause {
  /** How long the decoded text was. */
  readonly at: number;
  /** How long the JSON was. */
  readonly end: number;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Reads JSON character by character and gives the texts in it, one line break after each. Keys, numbers and punctuation
 * are left out: a rule is about what is written, not about how JSON spells it. Broken JSON gives whatever looks like text.
 */
export class ArgumentText {
  readonly #levels: Level[] = [];
  readonly #input = new PartialJson();
  #inText: 'no' | 'key' | 'value' = 'no';
  #escape: string | undefined;
  #length = 0;
  #json = '';
  /** How much of the JSON `#input` has read. */
  #read = 0;
  #pauses: Pause[] = [];

  /** Takes the next piece of JSON; gives the text that is new with it. */
  add(json: string): string {
    let text = '';
    for (const char of json.split('')) {
      this.#json += char;
      text += this.#take(char);
    }
    return text;
  }

  /** The input at the last pause before the text was longer than `length`. Later calls must not ask for less. */
  inputAt(length: number): Readonly<Record<string, unknown>> {
    const passed = this.#pauses.findLastIndex(({ at }) => at <= length);
    const { end } = this.#pauses[passed] ?? { end: this.#read };
    this.#pauses = this.#pauses.slice(passed + 1);
    this.#input.push(this.#json.slice(this.#read, end));
    this.#read = end;
    const { value } = this.#input;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
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
      this.#levels.push({ kind: char === '{' ? 'object' : 'array', expectsKey: char === '{' });
    } else if (char === '}' || char === ']') this.#levels.pop();
    else if (char === ',' && level) level.expectsKey = level.kind === 'object';
    else if (char === '"') this.#inText = level?.expectsKey === true ? 'key' : 'value';
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
    if (this.#inText === 'key') return '';
    this.#length += char.length;
    if (char === '\n') this.#pause();
    return char;
  }

  #endText(): string {
    const level = this.#levels.at(-1);
    const ended = this.#inText;
    this.#inText = 'no';
    if (ended === 'key') {
      if (level) level.expectsKey = false;
      return '';
    }
    this.#length++;
    this.#pause();
    return '\n';
  }

  #pause(): void {
    this.#pauses.push({ at: this.#length, end: this.#json.length });
  }
}
