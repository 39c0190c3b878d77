/** What a subagent has to give back, as JSON Schema. Definitions may have it as JSON Type Definition (RFC 8927), too. */
import { checkSchema, type JsonSchema, loadSchemaCompiler, messageOf } from '@tenon/kernel';
import { errors } from './errors.ts';

type Fields = Readonly<Record<string, unknown>>;

const SCALARS: Readonly<Record<string, Fields>> = {
  boolean: { type: 'boolean' },
  string: { type: 'string' },
  timestamp: { type: 'string', description: 'RFC 3339' },
  float32: { type: 'number' },
  float64: { type: 'number' },
  ...Object.fromEntries(
    ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32'].map((name) => [name, { type: 'integer' }]),
  ),
};

/** The schema that counts: that of the definition, of the call, or of the session that the caller works for. */
export async function outputSchema(
  candidates: readonly { readonly schema: unknown; readonly source: string }[],
): Promise<JsonSchema | undefined> {
  const first = candidates.find(({ schema }) => schema !== undefined && schema !== null);
  if (!first) return undefined;
  const { source } = first;
  const schema = parsed(first.schema, source);
  // A name would be taken after the first check, and only the newest dialects are not known by address.
  const { $id: _id, id: _oldId, $schema: _dialect, ...bare } = schema;
  const made = isTypeDefinition(schema) ? fromTypeDefinition(schema) : bare;
  await loadSchemaCompiler();
  try {
    checkSchema({ ...made }, null);
  } catch (fault) {
    throw errors.create('SUBAGENTS_SCHEMA', { problem: messageOf(fault), source }, fault);
  }
  return made;
}

/** Models and files write schemas as text, too. */
function parsed(value: unknown, source: string): Fields {
  try {
    const schema = typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
    if (isFields(schema)) return schema;
  } catch (fault) {
    throw errors.create('SUBAGENTS_SCHEMA', { problem: messageOf(fault), source }, fault);
  }
  throw errors.create('SUBAGENTS_SCHEMA', { problem: 'it is not an object', source });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for forms that only JSON Type Definition has, at the top: JSON Schema says `type: object` beside `properties`. */
function isTypeDefinition(schema: Fields): boolean {
  const { type, properties, optionalProperties, elements, values, discriminator } = schema;
  if (optionalProperties !== undefined || elements !== undefined) return true;
  if (typeof type === 'string') return type in SCALARS && !['boolean', 'string'].includes(type);
  if (isFields(values) || typeof discriminator === 'string') return true;
  return isFields(properties) && schema['required'] === undefined && !('$schema' in schema);
}

function fromTypeDefinition(value: unknown): Fields {
  if (!isFields(value)) return {};
  const made = formOf(value);
  return value['nullable'] === true
    ? { anyOf: [withDescription(made, value), { type: 'null' }] }
    : withDescription(made, value);
}

function formOf(form: Fields): Fields {
  const { type, enum: choices, elements, values, properties, optionalProperties, discriminator, mapping } = form;
  if (typeof type === 'string') return SCALARS[type] ?? { type };
  if (choices !== undefined) return { enum: choices };
  if (elements !== undefined) return { type: 'array', items: fromTypeDefinition(elements) };
  if (values !== undefined) return { type: 'object', additionalProperties: fromTypeDefinition(values) };
  if (typeof discriminator === 'string' && isFields(mapping)) {
    return {
      anyOf: Object.entries(mapping).map(([name, one]) =>
        objectOf(
          { ...fieldsIn(one, 'properties'), [discriminator]: { enum: [name] } },
          fieldsIn(one, 'optionalProperties'),
        ),
      ),
    };
  }
  if (properties === undefined && optionalProperties === undefined) return {};
  return objectOf(
    fieldsIn(form, 'properties'),
    fieldsIn(form, 'optionalProperties'),
    form['additionalProperties'] === true,
  );
}

function fieldsIn(form: unknown, key: string): Fields {
  const fields = isFields(form) ? form[key] : undefined;
  return isFields(fields) ? fields : {};
}

function objectOf(needed: Fields, optional: Fields, isOpen = false): Fields {
  const all = Object.entries({ ...optional, ...needed });
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, form]) => [name, fromTypeDefinition(form)])),
    required: Object.keys(needed),
    additionalProperties: isOpen,
  };
}

function withDescription(made: Fields, { metadata }: Fields): Fields {
  const description = isFields(metadata) ? metadata['description'] : undefined;
  return typeof description === 'string' ? { ...made, description } : made;
}
