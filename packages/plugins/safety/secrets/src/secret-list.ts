/** Where secrets are known from: the environment, the user's and the project's `secrets.yml`, and shapes of credentials. */
import { readFile } from 'node:fs/promises';
import { messageOf, type TenonError } from '@tenon/kernel';
import { parse } from 'yaml';
import { errors } from './errors.ts';

/** One rule: an exact value or a pattern, and what happens to it. */
export interface SecretRule {
  readonly match: string | RegExp;
  /** `obfuscate` can be undone in this process, `replace` cannot. */
  readonly mode: 'obfuscate' | 'replace';
  readonly replacement?: string;
}

const SECRET_NAME = /(KEY|SECRET|TOKEN|PASSWORD|PASS|AUTH|CREDENTIAL|PRIVATE|OAUTH)/i;
const MIN_LENGTH = 8;
/** Values of such variables are addresses of things, not secrets. */
const NOT_A_SECRET = /^(?:[/~.][^\s]*|true|false|\d+)$/i;

/** Shapes of credentials that nothing else looks like. */
const CREDENTIALS: readonly RegExp[] = [
  /\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{40,}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}\b/g,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}\b/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/g,
];

/** Rules for well-known credentials. */
export function credentialRules(): SecretRule[] {
  return CREDENTIALS.map((match) => ({ match, mode: 'obfuscate' }));
}

/** Rules for the values of environment variables whose names say that they are secret. */
export function environmentRules(env: NodeJS.ProcessEnv): SecretRule[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => {
    const isSecret = SECRET_NAME.test(name) && value.length >= MIN_LENGTH && !NOT_A_SECRET.test(value);
    return isSecret ? [value] : [];
  });
  return [...new Set(values)].map((match) => ({ match, mode: 'obfuscate' }));
}

/** Rules of a `secrets.yml`. A file that is not there has none; one that cannot be understood is an error. */
export async function fileRules(
  file: string,
  options: { fromProject: boolean; warn(error: TenonError): void },
): Promise<SecretRule[]> {
  let list: unknown;
  try {
    list = parse(await readFile(file, 'utf8'));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw errors.create('SECRETS_FILE_INVALID', { file, reason: messageOf(fault) }, fault);
  }
  if (list === null) return [];
  if (!Array.isArray(list)) throw errors.create('SECRETS_FILE_INVALID', { file, reason: 'it is not a list' });
  return list.flatMap((raw: unknown, index) => {
    const rule = ruleOf(raw, (reason) =>
      errors.create('SECRETS_FILE_INVALID', { file, reason: `entry ${index + 1} ${reason}` }),
    );
    if (options.fromProject && typeof rule.match !== 'string') {
      options.warn(errors.create('SECRETS_PROJECT_REGEX', { file, number: index + 1 }));
      return [];
    }
    return [rule];
  });
}

function ruleOf(raw: unknown, invalid: (reason: string) => Error): SecretRule {
  if (typeof raw !== 'object' || raw === null) throw invalid('is not a mapping');
  const { type, content, mode = 'obfuscate', replacement, flags = '' } = raw as Record<string, unknown>;
  if (typeof content !== 'string' || content === '') throw invalid('has no content');
  if (mode !== 'obfuscate' && mode !== 'replace') throw invalid('has a mode other than obfuscate or replace');
  const extra = typeof replacement === 'string' ? { replacement } : {};
  if (type === 'plain') return { match: content, mode, ...extra };
  if (type !== 'regex') throw invalid('has a type other than plain or regex');
  const literal = /^\/(.*)\/([a-z]*)$/s.exec(content);
  try {
    const [source, flagText] = literal ? [literal[1] ?? '', literal[2] ?? ''] : [content, String(flags)];
    return { match: new RegExp(source, flagText.includes('g') ? flagText : `${flagText}g`), mode, ...extra };
  } catch (fault) {
    throw invalid(`has a pattern that cannot be used: ${messageOf(fault)}`);
  }
}
