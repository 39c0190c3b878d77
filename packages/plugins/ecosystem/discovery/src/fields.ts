/** Takes fields out of what somebody wrote, and says which of them are not what they should be. */
import { isRecord } from './search.ts';

/** Reads fields; the first name that is there counts. What has the wrong type is reported and left out. */
export class Fields {
  readonly #data: Readonly<Record<string, unknown>>;
  readonly #report: (what: string) => void;

  constructor(data: Readonly<Record<string, unknown>>, report: (what: string) => void) {
    this.#data = data;
    this.#report = report;
  }

  /** The value as it is, and its name. */
  #find(names: readonly string[]): readonly [string, unknown] | undefined {
    for (const name of names) {
      if (!Object.hasOwn(this.#data, name)) continue;
      const value = this.#data[name];
      if (value !== undefined && value !== null) return [name, value];
    }
    return undefined;
  }

  #wrong(name: string, expected: string): undefined {
    this.#report(`"${name}" must be ${expected}`);
    return undefined;
  }

  /** Whether one of the names is there. */
  has(...names: readonly string[]): boolean {
    return this.#find(names) !== undefined;
  }

  /** The value as it is. */
  any(...names: readonly string[]): unknown {
    return this.#find(names)?.[1];
  }

  /** A text; numbers and truth values are taken as they are written. */
  text(...names: readonly string[]): string | undefined {
    const field = this.#find(names);
    if (!field) return undefined;
    const [name, value] = field;
    if (typeof value === 'string') return value.trim() === '' ? undefined : value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return this.#wrong(name, 'text');
  }

  /** A list of texts, or one text with commas. */
  texts(...names: readonly string[]): readonly string[] | undefined {
    const field = this.#find(names);
    if (!field) return undefined;
    const [name, value] = field;
    if (typeof value === 'string') return splitList(value);
    if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string' && typeof entry !== 'number'))
      return this.#wrong(name, 'text or a list of texts');
    return value.map(String);
  }

  /** A list of texts, as it is. */
  list(...names: readonly string[]): readonly string[] | undefined {
    const field = this.#find(names);
    if (!field) return undefined;
    const [name, value] = field;
    if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string' && typeof entry !== 'number'))
      return this.#wrong(name, 'a list of texts');
    return value.map(String);
  }

  /** Whether something is so. */
  flag(...names: readonly string[]): boolean | undefined {
    const field = this.#find(names);
    if (!field) return undefined;
    const [name, value] = field;
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    return this.#wrong(name, 'true or false');
  }

  /** A number. */
  number(...names: readonly string[]): number | undefined {
    const field = this.#find(names);
    if (!field) return undefined;
    const [name, value] = field;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : this.#wrong(name, 'a number');
  }

  /** An object. */
  record(...names: readonly string[]): Readonly<Record<string, unknown>> | undefined {
    const field = this.#find(names);
    if (!field) return undefined;
    const [name, value] = field;
    return isRecord(value) ? value : this.#wrong(name, 'an object');
  }

  /** An object whose values are texts. */
  textRecord(...names: readonly string[]): Readonly<Record<string, string>> | undefined {
    const field = this.#find(names);
    if (!field) return undefined;
    const [name, value] = field;
    const isPlain = (entry: unknown) => ['string', 'number', 'boolean'].includes(typeof entry);
    if (!isRecord(value) || !Object.values(value).every(isPlain)) return this.#wrong(name, 'an object of texts');
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, String(entry)]));
  }

  /** One of some words. */
  choice<C extends string>(choices: readonly C[], ...names: readonly string[]): C | undefined {
    const field = this.#find(names);
    if (!field) return undefined;
    const [name, value] = field;
    return choices.find((choice) => choice === value) ?? this.#wrong(name, `one of ${choices.join(', ')}`);
  }
}

/** Leaves out what is not there, for types with optional fields. */
export function present<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const rest: Record<string, unknown> = {};
  // Called for every file of a home, so it makes no lists in between.
  for (const name in fields) if (fields[name] !== undefined) rest[name] = fields[name];
  return rest as never;
}

/** Splits at commas, but not inside brackets: `Bash(git add:*), Read` and `*.{ts,tsx}` are written so. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === '(' || char === '{' || char === '[') depth++;
    if (char === ')' || char === '}' || char === ']') depth--;
    if (char === ',' && depth <= 0) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  parts.push(part);
  return parts.map((text) => text.trim()).filter((text) => text !== '');
}
