/** Parameters of tools: TypeBox, zod and JSON Schema become JSON Schema, and inputs are brought into the form that was asked for. */
import * as zod from 'zod';

type Fields = Record<string, unknown>;

/** The JSON Schema of what an author wrote. Throws, saying why, for what is no schema. */
export function toJsonSchema(schema: unknown): Fields {
  if (schema === undefined || schema === null) return { type: 'object', properties: {} };
  const json = isZod(schema) ? zodToJson(schema) : plain(schema);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new TypeError(`it is ${typeof schema}`);
  const { $schema: _version, '~standard': _standard, ...fields } = json as Fields;
  if (fields['type'] === undefined && fields['properties'] !== undefined) fields['type'] = 'object';
  if (fields['type'] !== 'object' && !('anyOf' in fields) && !('oneOf' in fields) && !('allOf' in fields)) {
    throw new TypeError(`its type is ${JSON.stringify(fields['type'])}, not "object"`);
  }
  // Providers want an object at the top; alternatives are said inside of it.
  return fields['type'] === 'object' ? fields : { type: 'object', ...fields };
}

/** The input as the schema makes it: defaults filled in, values converted. Throws what the schema complains about. */
export function applySchema(schema: unknown, input: unknown): unknown {
  return isZod(schema) ? (schema as { parse(value: unknown): unknown }).parse(input) : input;
}

function isZod(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && ('_zod' in schema || '_def' in schema) && 'parse' in schema;
}

function zodToJson(schema: unknown): unknown {
  if (!('_zod' in (schema as object))) return oldZodToJson(schema);
  return zod.toJSONSchema(schema as zod.ZodType, { io: 'input', unrepresentable: 'any' });
}

/** Schemas of zod 3, which an extension may bring along: the parts that tools use. */
function oldZodToJson(schema: unknown): Fields {
  const { _def: def, description } = schema as { _def: Fields & { typeName?: string }; description?: string };
  const about = description === undefined ? {} : { description };
  const inner = (key: string) => oldZodToJson(def[key]);
  switch (def.typeName) {
    case 'ZodObject': {
      const shape = (def['shape'] as () => Record<string, unknown>)();
      const required = Object.keys(shape).filter((key) => !isOptional(shape[key]));
      const properties = Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, oldZodToJson(value)]));
      return { type: 'object', properties, ...(required.length > 0 && { required }), ...about };
    }
    case 'ZodString':
      return { type: 'string', ...about };
    case 'ZodNumber':
      return { type: 'number', ...about };
    case 'ZodBoolean':
      return { type: 'boolean', ...about };
    case 'ZodEnum':
      return { type: 'string', enum: def['values'], ...about };
    case 'ZodLiteral':
      return { const: def['value'], ...about };
    case 'ZodArray':
      return { type: 'array', items: inner('type'), ...about };
    case 'ZodRecord':
      return { type: 'object', additionalProperties: inner('valueType'), ...about };
    case 'ZodUnion':
      return { anyOf: (def['options'] as unknown[]).map(oldZodToJson), ...about };
    case 'ZodOptional':
    case 'ZodNullable':
      return { ...inner('innerType'), ...about };
    case 'ZodDefault':
      return { ...inner('innerType'), default: (def['defaultValue'] as () => unknown)(), ...about };
    case 'ZodEffects':
      return { ...inner('schema'), ...about };
    default:
      return about;
  }
}

function isOptional(schema: unknown): boolean {
  return (schema as { isOptional?: () => boolean }).isOptional?.() === true;
}

/** TypeBox keeps its own marks in symbols, which JSON does not have. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}
