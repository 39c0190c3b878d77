/** What a tool takes: fields of zod, or of JSON Schema, become one JSON Schema. */
import * as zod from 'zod';

type Fields = Readonly<Record<string, unknown>>;

/** How inputs are described and checked. */
export interface ToolInput {
  readonly parameters: Fields;
  /** Defaults are filled in and values converted; throws what does not fit. */
  parse(input: unknown): unknown;
}

/** The input of a tool. Throws, saying why, for what is no schema. */
export function inputOf(args: unknown): ToolInput {
  if (args === undefined || args === null) return { parameters: { type: 'object', properties: {} }, parse: same };
  if (typeof args !== 'object') throw new TypeError(`its args are ${typeof args}`);
  if (isZod(args)) return ofZod(args);
  const values = Object.values(args);
  if (values.length > 0 && values.every(isZod)) return ofZod(zod.object(args as zod.ZodRawShape));
  const isWhole = (args as Fields)['type'] === 'object';
  const plain = JSON.parse(JSON.stringify(args)) as Fields;
  return { parameters: isWhole ? plain : { type: 'object', properties: plain }, parse: same };
}

function ofZod(schema: zod.ZodType): ToolInput {
  const {
    $schema: _version,
    '~standard': _standard,
    ...json
  } = zod.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as Record<string, unknown>;
  return {
    parameters: json['type'] === 'object' ? json : { ...json, type: 'object' },
    parse: (input) => schema.parse(input),
  };
}

function isZod(value: unknown): value is zod.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value && 'parse' in value;
}

function same(input: unknown): unknown {
  return input;
}
