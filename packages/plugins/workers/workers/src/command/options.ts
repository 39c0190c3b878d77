/** Options of one CLI: described as data, checked, and turned into words of its command line. */
import { didYouMean } from '@tenon/wording';
import type { JsonSchema } from '@tenon/kernel';
import { errors } from '../errors.ts';
import type { WorkerSpec } from '../spec.ts';

/** One option: a JSON Schema of its value, and how it becomes words. */
export interface OptionSchema {
  readonly type?: 'boolean' | 'string' | 'number' | 'integer' | 'array' | 'object';
  readonly anyOf?: readonly OptionSchema[];
  readonly enum?: readonly string[];
  readonly items?: { readonly type: 'string' };
  readonly description?: string;
  readonly minimum?: number;
  /** Today's flag. Absent where the adapter uses the value in another way. */
  readonly 'x-flag'?: string;
  /** The flag that says no; without it, `false` adds nothing. */
  readonly 'x-flag-off'?: string;
  /** Lists become one word with this between; without it the flag is repeated. */
  readonly 'x-join'?: string;
  /** Objects: `json` makes one word of them, `pairs` a `key=value` each. */
  readonly 'x-form'?: 'json' | 'pairs';
}

/** The options of a CLI. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, OptionSchema>>;
}

/** The schema of options by name. */
export function optionsSchema(properties: Readonly<Record<string, OptionSchema>>): OptionsSchema & JsonSchema {
  return { type: 'object', additionalProperties: false, properties };
}

type Options = Readonly<Record<string, unknown>>;

/** Checks options; throws `WORKERS_OPTION`, which names the option and says what is wrong with it. */
export function checkOptions(spec: Pick<WorkerSpec, 'id' | 'options'>, options: Options = {}): void {
  const properties = propertiesOf(spec.options);
  for (const [key, value] of Object.entries(options)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const reason = schema ? problemOf(schema, value) : `there is none.${didYouMean(key, Object.keys(properties))}`;
    if (reason !== undefined) throw errors.create('WORKERS_OPTION', { worker: spec.id, option: key, reason });
  }
}

/** The options as their schemas want them: words of a command line and numbers of a file become what fits, then all are checked. */
export function fitOptions(spec: Pick<WorkerSpec, 'id' | 'options'>, options: Options): Options {
  const properties = propertiesOf(spec.options);
  const fitted = Object.fromEntries(
    Object.entries(options).map(([key, value]) => {
      const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, schema ? fit(schema, value) : value];
    }),
  );
  checkOptions(spec, fitted);
  return fitted;
}

/** How values are attached to their flags. */
export interface WordStyle {
  /** True for CLIs that know `--flag=value`: a value that begins with a dash is then no flag. */
  readonly equals: boolean;
  /** Options that the adapter handles itself. */
  readonly except?: readonly string[];
}

/** The words of all options that have a flag, in the order of the schema. */
export function optionWords(
  spec: Pick<WorkerSpec, 'id' | 'options'>,
  options: Options = {},
  style: WordStyle,
): string[] {
  checkOptions(spec, options);
  return Object.entries(propertiesOf(spec.options)).flatMap(([key, schema]) =>
    options[key] === undefined || style.except?.includes(key) ? [] : wordsOf(schema, options[key], style),
  );
}

/** A flag with its value. */
export function flagWords(flag: string, value: string, { equals }: Pick<WordStyle, 'equals'>): string[] {
  return equals && value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}

function wordsOf(schema: OptionSchema, value: unknown, style: WordStyle): string[] {
  const flag = schema['x-flag'];
  if (flag === undefined) return [];
  if (value === true) return [flag];
  if (value === false) return schema['x-flag-off'] === undefined ? [] : [schema['x-flag-off']];
  return valuesOf(schema, value).flatMap((word) => flagWords(flag, word, style));
}

function valuesOf(schema: OptionSchema, value: unknown): string[] {
  const join = schema['x-join'];
  if (Array.isArray(value))
    return value.length === 0 ? [] : join === undefined ? value.map(String) : [value.join(join)];
  if (typeof value !== 'object' || value === null) return [String(value)];
  if (schema['x-form'] !== 'pairs') return [JSON.stringify(value)];
  return Object.entries(value).map(([key, part]) => `${key}=${typeof part === 'string' ? part : JSON.stringify(part)}`);
}

/** The value in the type of the schema where it says the same there; what does not fit stays as it is. */
function fit(schema: OptionSchema, value: unknown): unknown {
  if (schema.anyOf) {
    const fitting = schema.anyOf.find((choice) => problemOf(choice, fit(choice, value)) === undefined);
    return fitting ? fit(fitting, value) : value;
  }
  switch (schema.type ?? 'string') {
    case 'array': {
      const list = typeof value === 'string' && value.startsWith('[') ? (jsonOf(value) ?? value) : value;
      return (Array.isArray(list) ? (list as unknown[]) : [list]).map(textOf);
    }
    case 'object':
      return typeof value === 'string' ? (jsonOf(value) ?? value) : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'number':
    case 'integer':
      return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
    case 'string':
      return textOf(value);
  }
}

/** Numbers of pull requests, issues and sessions are texts to a command line. */
function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // A text like any other.
  }
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, OptionSchema>> {
  return (schema as { readonly properties?: Readonly<Record<string, OptionSchema>> }).properties ?? {};
}

function problemOf(schema: OptionSchema, value: unknown): string | undefined {
  if (schema.anyOf) {
    const problems = schema.anyOf.map((choice) => problemOf(choice, value));
    return problems.includes(undefined) ? undefined : problems.join(', or ');
  }
  if (!isOfType(schema, value)) return `it must be ${TYPE_NAMES[schema.type ?? 'string']}`;
  if (schema.enum && !schema.enum.includes(value as string)) return `it must be one of ${schema.enum.join(', ')}`;
  if (schema.minimum !== undefined && (value as number) < schema.minimum)
    return `it must be at least ${schema.minimum}`;
  return undefined;
}

const TYPE_NAMES = {
  boolean: 'true or false',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  array: 'a list of texts',
  object: 'an object',
} as const;

function isOfType({ type = 'string' }: OptionSchema, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}
