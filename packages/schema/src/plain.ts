/**
 * Says "certainly valid" without the schema compiler. Everything that is not understood is "don't know", so a keyword that
 * is missing here costs time and nothing else.
 */
import type { JsonSchema } from './check.ts';

type Rules = Readonly<Record<string, unknown>>;
type Members = Record<string, unknown>;

/** Keywords that say nothing about validity. */
const ANNOTATION = /^(?:\$schema|\$comment|title|description|default|examples|deprecated|x-.*)$/;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isMembers,
};

/** One check for each keyword; values of another type than the keyword is about pass. */
const KEYWORDS: Readonly<Record<string, (rule: never, value: unknown, schema: Rules) => boolean>> = {
  type: (names: string | string[], value) => [names].flat().some((name) => TYPES[name]?.(value) ?? false),
  enum: (choices: unknown[], value) => choices.includes(value),
  const: (only: unknown, value) => only === value,
  minimum: (bound: number, value) => typeof value !== 'number' || value >= bound,
  maximum: (bound: number, value) => typeof value !== 'number' || value <= bound,
  exclusiveMinimum: (bound: number, value) => typeof value !== 'number' || value > bound,
  exclusiveMaximum: (bound: number, value) => typeof value !== 'number' || value < bound,
  minLength: (bound: number, value) => typeof value !== 'string' || [...value].length >= bound,
  maxLength: (bound: number, value) => typeof value !== 'string' || [...value].length <= bound,
  pattern: (text: string, value) => typeof value !== 'string' || new RegExp(text, 'u').test(value),
  minItems: (bound: number, value) => !Array.isArray(value) || value.length >= bound,
  maxItems: (bound: number, value) => !Array.isArray(value) || value.length <= bound,
  items: (each: JsonSchema, value) => !Array.isArray(value) || value.every((item) => holds(each, item)),
  anyOf: (choices: JsonSchema[], value) => choices.some((choice) => holds(choice, value)),
  required: (keys: string[], value) => !isMembers(value) || keys.every((key) => value[key] !== undefined),
  properties: (properties: Record<string, JsonSchema>, value) =>
    !isMembers(value) ||
    Object.entries(properties).every(([key, property]) => value[key] === undefined || holds(property, value[key])),
  patternProperties: (patterns: Record<string, JsonSchema>, value) =>
    !isMembers(value) ||
    Object.entries(patterns).every(([pattern, property]) =>
      Object.keys(value).every((key) => !new RegExp(pattern, 'u').test(key) || holds(property, value[key])),
    ),
  additionalProperties: (other: boolean | JsonSchema, value, schema) =>
    other === true ||
    !isMembers(value) ||
    Object.keys(value).every((key) => isNamed(schema, key) || (other !== false && holds(other, value[key]))),
};

/** True when the value is certainly valid; its defaults are then filled in. False means that the compiler must decide. */
export function isPlainlyValid(schema: JsonSchema, value: unknown): boolean {
  const filled = fillDefaults(schema, value);
  if (holds(schema, value)) return true;
  for (const { object, key } of filled) delete object[key];
  return false;
}

function holds(schema: JsonSchema, value: unknown): boolean {
  return Object.entries(schema as Rules).every(([keyword, rule]) =>
    Object.hasOwn(KEYWORDS, keyword)
      ? KEYWORDS[keyword]?.(rule as never, value, schema as Rules)
      : ANNOTATION.test(keyword),
  );
}

interface Filled {
  readonly object: Members;
  readonly key: string;
}

/** As the compiler does it: everywhere but inside of alternatives. Tells what it filled in. */
function fillDefaults(schema: JsonSchema, value: unknown, filled: Filled[] = []): readonly Filled[] {
  const { properties = {}, patternProperties = {}, additionalProperties, items } = schema as Record<string, Members>;
  if (Array.isArray(value) && items) for (const item of value) fillDefaults(items, item, filled);
  if (!isMembers(value)) return filled;
  for (const [key, property] of Object.entries(properties as Record<string, Members>)) {
    if (value[key] === undefined && property['default'] !== undefined) {
      value[key] = structuredClone(property['default']);
      filled.push({ object: value, key });
    }
    fillDefaults(property, value[key], filled);
  }
  for (const key of Object.keys(value)) {
    for (const [pattern, property] of Object.entries(patternProperties))
      if (new RegExp(pattern, 'u').test(key)) fillDefaults(property as Members, value[key], filled);
    if (isMembers(additionalProperties) && !isNamed(schema as Rules, key))
      fillDefaults(additionalProperties, value[key], filled);
  }
  return filled;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `additionalProperties` leaves the key to others. */
function isNamed({ properties = {}, patternProperties = {} }: Rules, key: string): boolean {
  return (
    Object.hasOwn(properties as object, key) ||
    Object.keys(patternProperties as object).some((pattern) => new RegExp(pattern, 'u').test(key))
  );
}
