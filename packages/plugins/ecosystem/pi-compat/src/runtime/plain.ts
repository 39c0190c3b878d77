const MAX_DEPTH = 60;

/** A copy that can cross: plain data, with errors as their message. Functions, symbols and circles are left out. */
export function plain<T>(value: T): T {
  return copy(value, new Set()) as T;
}

function copy(value: unknown, above: Set<object>): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (above.has(value) || above.size >= MAX_DEPTH) return undefined;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  const inside = value instanceof Map ? Object.fromEntries(value) : value instanceof Set ? [...value] : value;
  above.add(value);
  try {
    if (Array.isArray(inside)) return inside.map((item) => copy(item, above) ?? null);
    const fields: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(inside)) {
      const copied = copy(item, above);
      if (copied !== undefined && key !== '__proto__') fields[key] = copied;
    }
    return fields;
  } finally {
    above.delete(value);
  }
}

/** Anything as text; nothing is an empty one. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}
