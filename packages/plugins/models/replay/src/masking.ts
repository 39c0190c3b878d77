import { createRedactor, type Redactor } from '@tenon/log';

const SECRET_VARIABLE = /(?:key|token|secret|password|passwd|credential)s?$/i;

/** A redactor that also knows the secrets of the environment and the key of a call. */
export function cassetteRedactor(env: NodeJS.ProcessEnv, keys: readonly (string | undefined)[]): Redactor {
  const secrets = Object.entries(env).flatMap(([name, value]) => (SECRET_VARIABLE.test(name) && value ? [value] : []));
  return createRedactor(
    [...secrets, ...keys.flatMap((key) => (key === undefined ? [] : [key]))].filter(({ length }) => length >= 8),
  );
}

/** Masks at any depth; the kernel's redactor by itself cuts deep values off, because it is made for log lines. */
export function maskDeep<T>(value: T, redact: Redactor): T {
  return walk(value, redact) as T;
}

function walk(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => walk(item, redact));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isLeaf = typeof item !== 'object' || item === null;
      return [key, isLeaf ? (redact({ [key]: item } as Record<string, unknown>)[key] as unknown) : walk(item, redact)];
    }),
  );
}
