/** Settings without what must not be shown: a page is photographed, shared and left open. */
import { createRedactor, MASK, secretValuesOf } from '@tenon/log';

/** Objects whose values are anybody's guess. */
const OPAQUE = /^(?:env|environment|headers)$/i;

/** Makes the function that hides secrets in the value of a setting. Each name on the way to it counts. */
export function secretHider(env: NodeJS.ProcessEnv): (key: string, value: unknown) => unknown {
  const redact = createRedactor(secretValuesOf(env));
  return (key, value) => {
    const names = key.split('.');
    const whole = names.reduceRight<unknown>((part, name) => ({ [name]: part }), value);
    const masked = redact(withoutOpaque('', whole));
    return names.reduce<unknown>((part, name) => (part === MASK ? MASK : (part as Parts)[name]), masked);
  };
}

type Parts = Readonly<Record<string, unknown>>;

function withoutOpaque(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutOpaque('', item));
  if (typeof value !== 'object' || value === null) return value;
  const isOpaque = OPAQUE.test(name);
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, isOpaque ? MASK : withoutOpaque(key, part)]),
  );
}
