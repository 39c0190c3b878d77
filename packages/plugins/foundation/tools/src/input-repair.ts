/**
 * Repairs input that a model wrote almost right: JSON inside of text, another case, quotes too many. The schema says what
 * was meant. Nothing is touched that the schema accepts as it is.
 */
import { checkSchema, type JsonSchema } from '@tenon/kernel';
import { unwrapText, parseLiteral } from './lenient-literal.ts';

type Schema = Readonly<Record<string, unknown>>;
type Fields = Record<string, unknown>;

/** Repaired input, and what was done to it, as sentences without a full stop. */
export interface Repair {
  readonly value: unknown;
  readonly notes: readonly string[];
}

/** Which keys that the schema does not know may be left out. */
export type MayDrop = (key: string, value: unknown) => boolean;

/** Words that models wrap arguments in, or explain themselves with. */
const WRAPPERS = ['input', 'arguments', 'args', 'parameters', 'params'];

/** Repairs `input` as far as the schema allows to. The result may still be invalid; check it. */
export function repairInput(schema: JsonSchema, input: unknown, mayDrop: MayDrop): Repair {
  const root = schema as Schema;
  const work = new RepairWork(root, mayDrop);
  const value = work.repair(root, work.unwrap(input), []);
  return { value, notes: work.notes };
}

class RepairWork {
  readonly notes: string[] = [];
  readonly #root: Schema;
  readonly #mayDrop: MayDrop;
  constructor(root: Schema, mayDrop: MayDrop) {
    this.#root = root;
    this.#mayDrop = mayDrop;
  }

  /** `{"arguments": {…}}` instead of `{…}`. */
  unwrap(input: unknown): unknown {
    const parsed = typeof input === 'string' ? parseLiteral(unwrapText(input)) : undefined;
    if (isFields(parsed)) this.#note([], 'was text and is read as JSON');
    const value = isFields(parsed) ? parsed : input;
    if (!isFields(value)) return value;
    const [only, ...others] = Object.keys(value);
    if (only === undefined || others.length > 0 || !WRAPPERS.includes(only) || only in propertiesOf(this.#root)) {
      return value;
    }
    const inner = typeof value[only] === 'string' ? parseLiteral(unwrapText(value[only])) : value[only];
    if (!isFields(inner)) return value;
    this.#note([], `was wrapped in "${only}"`);
    return inner;
  }

  repair(part: Schema, value: unknown, path: readonly (string | number)[]): unknown {
    const schema = this.#resolve(part);
    if (!schema || this.#accepts(schema, value)) return value;
    const variants = variantsOf(schema);
    if (variants) return this.#repairAsOneOf(schema, variants, value, path);
    const fixed = this.#convert(schema, value, path);
    if (isFields(fixed) && typeOf(schema) === 'object') return this.#repairMembers(schema, fixed, path);
    if (Array.isArray(fixed) && isFields(schema['items'])) {
      const items = schema['items'];
      return fixed.map((item, index) => this.repair(items, item, [...path, index]));
    }
    return fixed;
  }

  /** The first variant that the value can be made to fit; the notes of failed attempts are taken back. */
  #repairAsOneOf(schema: Schema, variants: readonly Schema[], value: unknown, path: readonly (string | number)[]) {
    for (const variant of variants) {
      const before = this.notes.length;
      const fixed = this.repair(variant, value, path);
      if (this.#accepts(schema, fixed)) return fixed;
      this.notes.length = before;
    }
    return value;
  }

  #convert(schema: Schema, value: unknown, path: readonly (string | number)[]): unknown {
    const choices = choicesOf(schema);
    if (choices) return this.#choose(choices, value, path);
    switch (typeOf(schema)) {
      case 'object':
        return this.#toObject(value, path);
      case 'array':
        return this.#toArray(schema, value, path);
      case 'number':
      case 'integer':
        return this.#toNumber(schema, value, path);
      case 'boolean':
        return this.#toBoolean(value, path);
      case 'string':
        return this.#toText(schema, value, path);
      default:
        return value;
    }
  }

  /** Enum values in another case, with quotes, or with `-` for `_`. */
  #choose(choices: readonly unknown[], value: unknown, path: readonly (string | number)[]): unknown {
    if (Array.isArray(value) && value.length === 1) return this.#choose(choices, value[0], path);
    const name = plainName(unwrapText(String(value)));
    const matches = choices.filter((choice) => plainName(String(choice)) === name);
    if (matches.length !== 1 || (typeof value === 'object' && value !== null)) return value;
    this.#note(path, `was ${shown(value)} and is read as ${shown(matches[0])}`);
    return matches[0];
  }

  #toObject(value: unknown, path: readonly (string | number)[]): unknown {
    if (typeof value === 'string') {
      const parsed = parseLiteral(unwrapText(value));
      if (!isFields(parsed)) return value;
      this.#note(path, 'was text and is read as an object');
      return parsed;
    }
    if (!Array.isArray(value) || value.length !== 1 || !isFields(value[0])) return value;
    this.#note(path, 'was a list of one and is read as that one');
    return value[0];
  }

  #toArray(schema: Schema, value: unknown, path: readonly (string | number)[]): unknown {
    if (Array.isArray(value)) return value;
    if (typeof value === 'string') {
      const parsed = parseLiteral(unwrapText(value));
      if (Array.isArray(parsed)) {
        this.#note(path, 'was text and is read as a list');
        return parsed;
      }
    }
    if (value === null || value === undefined) return value;
    const items = isFields(schema['items']) ? schema['items'] : {};
    const before = this.notes.length;
    const list = [this.repair(items, value, [...path, 0])];
    if (!this.#accepts(schema, list)) {
      this.notes.length = before;
      return value;
    }
    this.#note(path, 'was not a list and is read as a list of one');
    return list;
  }

  #toNumber(schema: Schema, value: unknown, path: readonly (string | number)[]): unknown {
    if (Array.isArray(value) && value.length === 1) return this.#toNumber(schema, value[0], path);
    if (typeof value !== 'string') return value;
    const text = unwrapText(value).replaceAll(/(?<=\d)[_,](?=\d{3}\b)/g, '');
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return value;
    const number = Number(text);
    if (!Number.isFinite(number) || !this.#accepts(schema, number)) return value;
    this.#note(path, `was text and is read as the number ${number}`);
    return number;
  }

  #toBoolean(value: unknown, path: readonly (string | number)[]): unknown {
    const word = typeof value === 'string' ? unwrapText(value).toLowerCase() : value;
    const meaning = ['true', 'yes', 'on', '1', 1].includes(word as string)
      ? true
      : ['false', 'no', 'off', '0', 0].includes(word as string)
        ? false
        : undefined;
    if (meaning === undefined) return value;
    this.#note(path, `was ${shown(value)} and is read as ${meaning}`);
    return meaning;
  }

  #toText(schema: Schema, value: unknown, path: readonly (string | number)[]): unknown {
    if (typeof value === 'string') {
      const bare = unwrapText(value);
      if (bare === value || !this.#accepts(schema, bare)) return value;
      this.#note(path, 'had quotes or a code fence around it');
      return bare;
    }
    if (typeof value === 'number' || typeof value === 'boolean') {
      this.#note(path, `was ${shown(value)} and is read as text`);
      return String(value);
    }
    if (Array.isArray(value) && value.length === 1 && typeof value[0] === 'string') {
      this.#note(path, 'was a list of one and is read as that one');
      return value[0];
    }
    if (!isFields(value)) return value;
    this.#note(path, 'was an object and is written as JSON text');
    return JSON.stringify(value, null, 2);
  }

  #repairMembers(schema: Schema, fields: Fields, path: readonly (string | number)[]): Fields {
    const members = propertiesOf(schema);
    const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : []);
    const out: Fields = {};
    for (const [key, value] of Object.entries(fields)) {
      const name = key in members ? key : this.#rename(key, members, fields, path);
      const member = name === undefined ? undefined : members[name];
      if (name === undefined || !member) {
        if (schema['additionalProperties'] === false && this.#mayDrop(key, value)) {
          this.#note([...path, key], 'is not a parameter and was left out');
        } else out[key] = value;
      } else if (value === null && !required.has(name) && !this.#accepts(member, null)) {
        this.#note([...path, name], 'was null and counts as not given');
      } else out[name] = this.repair(member, value, [...path, name]);
    }
    return out;
  }

  /** `filePath`, `FilePath` and `file-path` for `file_path`, unless that is given too. */
  #rename(key: string, members: Readonly<Record<string, Schema>>, fields: Fields, path: readonly (string | number)[]) {
    const plain = plainName(key);
    const matches = Object.keys(members).filter((name) => !(name in fields) && plainName(name) === plain);
    const others = Object.keys(fields).filter((name) => plainName(name) === plain);
    if (matches.length !== 1 || others.length !== 1) return undefined;
    this.#note(path, `"${key}" is read as "${matches[0]}"`);
    return matches[0];
  }

  #note(path: readonly (string | number)[], text: string): void {
    this.notes.push(`${path.length > 0 ? `${path.join('.')} ` : text.startsWith('"') ? '' : 'the input '}${text}`);
  }

  #resolve(schema: Schema): Schema | undefined {
    const reference = schema['$ref'];
    if (reference === undefined) return schema;
    if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
    let at: unknown = this.#root;
    for (const step of reference.slice(1).split('/').filter(Boolean)) {
      at = isFields(at) ? at[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
    }
    return isFields(at) && at['$ref'] === undefined ? at : undefined;
  }

  /** A part of the schema may point into the whole, so the definitions go with it. */
  #accepts(part: Schema, value: unknown): boolean {
    try {
      // Defaults are filled in while a value is checked; what is being repaired must stay as it was given.
      return checkSchema(checkable(part, this.#root), structuredClone(value)).length === 0;
    } catch {
      // A part that cannot stand alone, e.g. one with a reference to a path of the whole: it is left as it is.
      return true;
    }
  }
}

/** Parts that were made here. The schema compiler keeps all that it compiled, so each must be made once. */
const madeParts = new WeakMap<Schema, { whole?: Schema; byType?: readonly Schema[] }>();

function partsOf(part: Schema): { whole?: Schema; byType?: readonly Schema[] } {
  const parts = madeParts.get(part) ?? {};
  madeParts.set(part, parts);
  return parts;
}

function checkable(part: Schema, root: Schema): Schema {
  const { $defs, definitions } = root;
  if (part === root || ($defs === undefined && definitions === undefined)) return part;
  return (partsOf(part).whole ??= {
    ...part,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  });
}

function variantsOf(schema: Schema): readonly Schema[] | undefined {
  const listed = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(listed)) return listed.filter(isFields);
  const types = schema['type'];
  if (!Array.isArray(types)) return undefined;
  return (partsOf(schema).byType ??= types.map((type) => ({ ...schema, type })));
}

function choicesOf(schema: Schema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : undefined;
}

function typeOf(schema: Schema): unknown {
  return (
    schema['type'] ?? (isFields(schema['properties']) ? 'object' : isFields(schema['items']) ? 'array' : undefined)
  );
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (isFields(schema['properties']) ? schema['properties'] : {}) as Record<string, Schema>;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
