/**
 * Takes parts out of JSON: `.items[0].name`, `.items[].name`, `.items[1:3]`, `.items[] | select(.size > 3) | .name`, `keys`,
 * `values`, `length`, `first`, `last`, `map(.name)`. A small part of jq: nothing in it can run long or reach anything but the
 * data.
 */
import { counted } from '@tenon/wording';
import { errors } from './errors.ts';

type Json = unknown;

/** One step of a query: from a value to none, one or many. */
type Step = (value: Json, fail: (reason: string, hint: string) => Error) => readonly Json[];

/** A query that was read. */
interface Query {
  readonly steps: readonly Step[];
  /** True when it may give several values, which come as a list then. */
  readonly many: boolean;
}

const MAX_QUERY = 1000;
const MAX_VALUES = 10_000;
const MAX_NESTED = 16;

/** The part of `data` that a path of keys and indexes, or a query, names. */
export function extractJson(
  data: Json,
  wanted: { readonly path: readonly string[] } | { readonly query: string },
): Json {
  const text = 'path' in wanted ? `/${wanted.path.join('/')}` : wanted.query;
  const { steps, many } =
    'path' in wanted ? { steps: wanted.path.map(segment), many: false } : new Parser(text).parse();
  const fail = (reason: string, hint: string) => errors.create('URLS_NO_MATCH', { query: text, reason, hint });
  const values = apply(steps, [data], fail);
  if (many) return values;
  if (values.length === 0) throw fail('nothing fits', 'Ask for less: leave out a condition.');
  return values[0];
}

function apply(steps: readonly Step[], from: readonly Json[], fail: Parameters<Step>[1]): readonly Json[] {
  let values = from;
  for (const step of steps) {
    values = values.flatMap((value) => [...step(value, fail)]);
    if (values.length > MAX_VALUES) throw fail(`it gives more than ${MAX_VALUES} values`, 'Choose a part first.');
  }
  return values;
}

/** A part of a path: an index in a list, a key in an object. */
function segment(name: string): Step {
  return (value, fail) => (Array.isArray(value) && /^-?\d+$/.test(name) ? at(Number(name)) : field(name))(value, fail);
}

function field(name: string, optional = false): Step {
  return (value, fail) => {
    // Own properties only: `constructor` and the like are not data.
    if (isObject(value) && Object.hasOwn(value, name)) return [value[name]];
    if (optional) return [null];
    const keys = isObject(value) ? Object.keys(value) : undefined;
    const hint =
      keys === undefined
        ? Array.isArray(value)
          ? `It is a list of ${value.length}: use [0] or [].`
          : `It is ${kindOf(value)}.`
        : `The keys are: ${keys.slice(0, 30).join(', ')}${keys.length > 30 ? ', …' : ''}.`;
    throw fail(`there is no "${name}" in ${kindOf(value)}`, hint);
  };
}

function at(index: number, optional = false): Step {
  return (value, fail) => {
    if (Array.isArray(value)) {
      const item = value.at(index) as Json;
      if (item !== undefined || optional) return [item ?? null];
      throw fail(`there is no [${index}]`, `The list has ${counted(value.length, 'item')}.`);
    }
    if (optional) return [null];
    throw fail(`[${index}] needs a list, and this is ${kindOf(value)}`, 'Use .name for objects.');
  };
}

const each: Step = (value, fail) => {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.values(value);
  throw fail(`[] needs a list or an object, and this is ${kindOf(value)}`, 'Leave the [] out.');
};

function slice(start: number | undefined, end: number | undefined): Step {
  return (value, fail) => {
    if (Array.isArray(value) || typeof value === 'string') return [value.slice(start, end)];
    throw fail(`[a:b] needs a list or a text, and this is ${kindOf(value)}`, 'Use .name for objects.');
  };
}

const FUNCTIONS: Readonly<Record<string, Step>> = {
  keys: (value, fail) => {
    if (isObject(value)) return [Object.keys(value)];
    if (Array.isArray(value)) return [value.map((_, index) => index)];
    throw fail(`keys needs an object or a list, and this is ${kindOf(value)}`, 'Leave it out.');
  },
  values: (value, fail) => [each(value, fail)],
  length: (value, fail) => {
    if (Array.isArray(value) || typeof value === 'string') return [value.length];
    if (isObject(value)) return [Object.keys(value).length];
    if (value === null) return [0];
    throw fail(`length needs a list, an object or a text, and this is ${kindOf(value)}`, 'Leave it out.');
  },
  first: at(0),
  last: at(-1),
};

type Compare = (left: Json, right: Json) => boolean;

/** Longer ones first: `<=` begins with `<`. */
const OPERATORS: readonly (readonly [string, Compare])[] = [
  ['==', same],
  ['!=', (left, right) => !same(left, right)],
  ['<=', (left, right) => ordered(left, right) && (left as number) <= (right as number)],
  ['>=', (left, right) => ordered(left, right) && (left as number) >= (right as number)],
  ['<', (left, right) => ordered(left, right) && (left as number) < (right as number)],
  ['>', (left, right) => ordered(left, right) && (left as number) > (right as number)],
  ['contains', (left, right) => holds(left, right)],
];

function same(left: Json, right: Json): boolean {
  return left === right;
}

function ordered(left: Json, right: Json): boolean {
  return (typeof left === 'number' || typeof left === 'string') && typeof left === typeof right;
}

function holds(left: Json, right: Json): boolean {
  if (typeof left === 'string') return typeof right === 'string' && left.includes(right);
  return Array.isArray(left) && left.includes(right);
}

/** Reads a query from left to right; every character is looked at a bounded number of times. */
class Parser {
  readonly #text: string;
  #at = 0;
  #nested = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.length > MAX_QUERY) throw this.#refuse(`it is longer than ${MAX_QUERY} characters`);
  }

  parse(): Query {
    const query = this.#pipe();
    if (this.#at < this.#text.length)
      throw this.#refuse(`"${this.#text.slice(this.#at, this.#at + 20)}" is not understood`);
    return query;
  }

  #refuse(reason: string): Error {
    return errors.create('URLS_QUERY', { query: this.#text.slice(0, 200), reason });
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text);
    if (token) this.#at += token[0].length;
    return token;
  }

  #pipe(): Query {
    if (++this.#nested > MAX_NESTED) throw this.#refuse('it is nested too deeply');
    const steps: Step[] = [];
    let many = false;
    do {
      const stage = this.#stage();
      steps.push(...stage.steps);
      many ||= stage.many;
    } while (this.#match(/\s*\|\s*/y));
    this.#nested--;
    return { steps, many };
  }

  #stage(): Query {
    this.#match(/\s*/y);
    const call = this.#match(/(map|select)\(\s*/y)?.[1];
    if (call !== undefined) {
      const stage = call === 'map' ? this.#map() : this.#select();
      if (!this.#match(/\s*\)/y)) throw this.#refuse(`${call}( is not closed`);
      return stage;
    }
    const name = this.#match(/(keys|values|length|first|last)(?![\w.[(-])/y)?.[1];
    const step = name === undefined ? undefined : FUNCTIONS[name];
    return step ? { steps: [step], many: false } : this.#path();
  }

  #map(): Query {
    const inner = this.#pipe();
    const step: Step = (value, fail) => [each(value, fail).flatMap((item) => [...apply(inner.steps, [item], fail)])];
    return { steps: [step], many: false };
  }

  #select(): Query {
    const { steps } = this.#pipe();
    const compare = this.#operator();
    const test = compare ?? ((found: Json) => found !== null && found !== false);
    // What lacks the field does not fit; that is no reason to stop.
    const step: Step = (value) => (tolerant(steps, value).some((candidate) => test(candidate)) ? [value] : []);
    return { steps: [step], many: true };
  }

  #operator(): ((found: Json) => boolean) | undefined {
    this.#match(/\s*/y);
    const operator = OPERATORS.find(([name]) => this.#text.startsWith(name, this.#at));
    if (!operator) return undefined;
    this.#at += operator[0].length;
    const literal = this.#match(/\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y)?.[1];
    if (literal === undefined)
      throw this.#refuse(`"${operator[0]}" needs a text in double quotes, a number, true, false or null`);
    const right = this.#literal(literal);
    return (left) => operator[1](left, right);
  }

  #literal(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw this.#refuse(`${text} is not valid text`);
    }
  }

  #path(): Query {
    const steps: Step[] = [];
    let many = false;
    const start = this.#at;
    // A name may stand first without a dot: `items[0].name`.
    const first = this.#match(/[A-Za-z_][\w-]*/y)?.[0];
    if (first !== undefined) steps.push(field(first, this.#isOptional()));
    for (;;) {
      const name = this.#match(/\.([A-Za-z_][\w-]*)/y)?.[1] ?? this.#quoted(/\.("(?:[^"\\]|\\.)*")/y);
      const quoted = name ?? this.#quoted(/\.?\[\s*("(?:[^"\\]|\\.)*")\s*\]/y);
      if (quoted !== undefined) {
        steps.push(field(quoted, this.#isOptional()));
        continue;
      }
      if (this.#match(/\.?\[\s*\]/y)) {
        steps.push(each);
        many = true;
        continue;
      }
      const range = this.#match(/\.?\[\s*(-?\d{1,9})?\s*:\s*(-?\d{1,9})?\s*\]/y);
      if (range) {
        steps.push(slice(numberOf(range[1]), numberOf(range[2])));
        continue;
      }
      const index = numberOf(
        this.#match(/\.?\[\s*(-?\d{1,9})\s*\]/y)?.[1] ?? this.#match(/\.(\d{1,9})(?![\w-])/y)?.[1],
      );
      if (index === undefined) break;
      const optional = this.#isOptional();
      steps.push((value, fail) =>
        (isObject(value) ? field(String(index), optional) : at(index, optional))(value, fail),
      );
    }
    // A lone dot is all of it; after a path it would be a mistake.
    if (this.#at === start && !this.#match(/\./y)) throw this.#refuse('a path is expected');
    return { steps, many };
  }

  #quoted(pattern: RegExp): string | undefined {
    const text = this.#match(pattern)?.[1];
    return text === undefined ? undefined : String(this.#literal(text));
  }

  #isOptional(): boolean {
    return this.#match(/\?/y) !== null;
  }
}

class NoMatch extends Error {}

function tolerant(steps: readonly Step[], value: Json): readonly Json[] {
  try {
    return apply(steps, [value], () => new NoMatch());
  } catch (fault) {
    if (fault instanceof NoMatch) return [];
    throw fault;
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
