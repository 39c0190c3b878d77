import type { JsonSchema } from '@tenon/kernel';

/** True for objects that layers merge key by key; arrays and everything else replace each other whole. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that would reach an object's prototype; settings files come from repositories, so they are not trusted. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Merges `from` over `into`. */
export function mergeInto(into: Record<string, unknown>, from: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(from)) {
    if (FORBIDDEN.has(key) || value === undefined) continue;
    const old = into[key];
    if (isPlainObject(old) && isPlainObject(value)) mergeInto(old, value);
    else into[key] = value;
  }
}

/** The value at a path. */
export function getPath(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    values,
  );
}

/** Puts a value at a path, making the objects on the way. */
export function setPath(values: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path;
  if (FORBIDDEN.has(head)) return;
  if (rest.length === 0) {
    values[head] = value;
    return;
  }
  const inner = isPlainObject(values[head]) ? values[head] : {};
  values[head] = inner;
  setPath(inner, rest, value);
}

/** Removes the value at a path. */
export function removePath(values: Record<string, unknown>, path: readonly string[]): void {
  const parent = getPath(values, path.slice(0, -1));
  const last = path.at(-1);
  if (isPlainObject(parent) && last !== undefined) delete parent[last];
}

/** Dotted keys of all leaves. */
export function flatten(values: Readonly<Record<string, unknown>>, prefix = ''): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    if (isPlainObject(value) && Object.keys(value).length > 0) Object.assign(flat, flatten(value, `${prefix}${key}.`));
    else flat[`${prefix}${key}`] = value;
  }
  return flat;
}

/** The schema of a nested property, if the schema knows it. */
export function propertyAt(schema: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  let current: JsonSchema | undefined = schema;
  for (const key of path) {
    const { properties, additionalProperties } = (current ?? {}) as {
      properties?: Record<string, JsonSchema>;
      additionalProperties?: unknown;
    };
    current = properties?.[key] ?? (isPlainObject(additionalProperties) ? additionalProperties : undefined);
    if (!current) return undefined;
  }
  return current;
}

/** The defaults of a schema. With `all`, properties without one are listed as undefined. */
export function defaultsOf(schema: JsonSchema, all = false): Record<string, unknown> {
  const { properties = {} } = schema as {
    properties?: Record<string, JsonSchema & { default?: unknown; properties?: object }>;
  };
  const values: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(properties)) {
    if (property.properties) values[key] = defaultsOf(property, all);
    else if (all || property.default !== undefined) values[key] = copyOf(property.default);
  }
  return values;
}

/** Most defaults are plain values, which need no copy; making one costs a thousand times more than looking. */
function copyOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}
