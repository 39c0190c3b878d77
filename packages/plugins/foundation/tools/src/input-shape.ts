/** What a tool's input looks like, in one line: for errors and lists. */
import type { JsonSchema } from '@tenon/kernel';

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 5;

/** The shape in the notation of TypeScript, e.g. `{ pattern: string, paths: string[], skip?: number }`. */
export function inputShape(schema: JsonSchema): string {
  return shapeOf(schema as Schema, schema as Schema, 0);
}

function shapeOf(part: Schema, root: Schema, depth: number): string {
  const schema = resolve(part, root);
  if (depth > MAX_DEPTH) return '…';
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(variants)) {
    return [...new Set(variants.map((variant: Schema) => shapeOf(variant, root, depth)))].join(' | ');
  }
  const { type } = schema;
  if (Array.isArray(type)) return type.map((name) => shapeOf({ ...schema, type: name }, root, depth)).join(' | ');
  if (type === 'integer') return 'integer';
  if (type === 'array') return listShape((schema['items'] ?? {}) as Schema, root, depth);
  if (type === 'object' || isSchema(schema['properties'])) return objectShape(schema, root, depth);
  return typeof type === 'string' ? type : 'any';
}

function listShape(items: Schema, root: Schema, depth: number): string {
  const item = shapeOf(items, root, depth + 1);
  return /[|]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function objectShape(schema: Schema, root: Schema, depth: number): string {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : []);
  const members = Object.entries(properties).map(
    ([name, member]) => `${name}${required.has(name) ? '' : '?'}: ${shapeOf(member as Schema, root, depth + 1)}`,
  );
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}

function resolve(schema: Schema, root: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) at = isSchema(at) ? at[step] : undefined;
  return isSchema(at) ? at : {};
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
