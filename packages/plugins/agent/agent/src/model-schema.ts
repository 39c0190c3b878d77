import type { JsonSchema } from '@tenon/kernel';

/** Kept, so that whoever has measured a schema knows it again. */
const plain = new WeakMap<object, JsonSchema>();

/** The schema as models get it: without the name of its dialect, which some providers refuse. */
export function modelSchema(schema: JsonSchema): JsonSchema {
  if (!('$schema' in schema)) return schema;
  let known = plain.get(schema);
  if (!known) {
    const { $schema: _dialect, ...rest } = schema;
    plain.set(schema, (known = rest));
  }
  return known;
}
