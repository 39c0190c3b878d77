/** Replaces secrets by this text. */
export const MASK = '[redacted]';

/** Masks secrets in anything that is about to be written down. */
export type Redactor = <T>(value: T) => T;

const SECRET_KEY =
  /(pass(word|wd|phrase)?|secret|token|(api|access|account|encryption|master|private|secret|signing|storage)[-_]?key|authorization|cookie|credential)$/i;
/** Names of variables. Many a `…_KEY` and `…_AUTH` is no secret, so the value must look like one. */
const SECRET_VARIABLE = /^(?:[A-Z0-9]+_)+(?:KEY|AUTH|PAT|JWT|DSN|CREDS|CREDENTIALS|TOKENS|SECRETS)$/;
const PASSWORD_VARIABLE = /^(?:[A-Z0-9]+_)+PWD?$/;
const NO_SECRET = /^[/~.]|^\d+$/;

/** Shapes of well-known credentials. Long and specific, so that ordinary text is left alone. */
const SECRET_VALUES = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}\b/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\b(?:hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|GOCSPX-[A-Za-z0-9_-]{28})/g,
  // Passwords in addresses.
  /(?<=[a-z]:\/\/[^\s/:@]{0,128}:)[^\s/@]{3,256}(?=@)/gi,
  // `DB_PASSWORD=…`, `api_key: …`, `?access_token=…`.
  /(?<=(?:pass(?:word|wd|phrase)|secret|token|api[-_]?key)["']?(?:=|:[ \t]?)["']?)[^\s"',;&<>(){}[\]]{8,512}/gi,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g,
  /(?<=\b(?:Bearer|Basic)\s)[A-Za-z0-9._~+/=-]{16,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
];

/** Values of variables whose names say that they are secret, for a redactor: error messages of programs repeat them. */
export function secretValuesOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const isSecret = SECRET_KEY.test(name)
      ? value.length >= 8 && !NO_SECRET.test(value)
      : isSecretVariable(name, value);
    if (isSecret) return [value];
    const [, password = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]{6,})@/i.exec(value) ?? [];
    return password === '' ? [] : [password];
  });
}

function isSecretVariable(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value.length < 8 || NO_SECRET.test(value)) return false;
  return PASSWORD_VARIABLE.test(name) || (SECRET_VARIABLE.test(name) && /\d/.test(value) && /[a-z]/i.test(value));
}

/** Nesting below this depth is cut off: a log line is not a place for whole object graphs. */
const MAX_DEPTH = 8;

/** Makes a redactor that masks well-known credentials, secret-named keys and the given exact values. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  // Short values would mask ordinary words; longest first, so that no secret leaves its tail behind.
  const exact = [...new Set(secrets)].filter((secret) => secret.length >= 6).sort((a, b) => b.length - a.length);
  const maskText = (text: string): string => {
    let masked = text;
    for (const secret of exact) masked = masked.replaceAll(secret, MASK);
    for (const pattern of SECRET_VALUES) masked = masked.replace(pattern, MASK);
    return masked;
  };
  const mask = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return maskText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return '[…]';
    if (Array.isArray(value)) return value.map((item) => mask(item, depth + 1));
    if (value instanceof Error) return mask(errorFields(value), depth + 1);
    if (value instanceof Date || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        (SECRET_KEY.test(key) && item != null && item !== '') || isSecretVariable(key, item)
          ? MASK
          : mask(item, depth + 1),
      ]),
    );
  };
  return (value) => mask(value, 0) as typeof value;
}

function errorFields(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return { ...error, name, message, ...(stack && { stack }), ...(cause !== undefined && { cause }) };
}

/** Objects whose values are anybody's guess. */
const OPAQUE = /^(?:env|environment|headers)$/i;

/**
 * Makes the function that hides secrets in the value of a setting, for what is photographed, shared and left open. Each name on the way to it counts.
 */
export function secretHider(
  env: Readonly<Record<string, string | undefined>>,
): (key: string, value: unknown) => unknown {
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
