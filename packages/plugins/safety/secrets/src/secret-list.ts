/** Where secrets are known from: the environment, the user's and the project's `secrets.yml`, and the keys of models. */
import { readFile, stat } from 'node:fs/promises';
import { messageOf, type TenonError } from '@tenon/kernel';
import { parseModelsText } from '@tenon/models/api';
import { isSecretVariable } from '@tenon/sandbox/api';
import { parse } from 'yaml';
import { variety } from './credentials.ts';
import { errors } from './errors.ts';

/** One rule: an exact value or a pattern, and what happens to it. */
export interface SecretRule {
  readonly match: string | RegExp;
  /** `obfuscate` can be undone in this process, `replace` cannot. */
  readonly mode: 'obfuscate' | 'replace';
  readonly replacement?: string;
  /** True for values of a project's list: they are masked in what is read and written, not in what Tenon says. */
  readonly fromProject?: boolean;
  /** Where a tool gets the real value. From the user's own list only. */
  readonly restore?: readonly RestorePlace[];
}

/** A call that gets the real value: of a tool from outside, to certain hosts, or with exactly this command. */
export interface RestorePlace {
  readonly tool: string;
  readonly hosts?: readonly string[];
  /** The whole command, with `{secret}` where the value stands. */
  readonly command?: string;
}

const MIN_LENGTH = 8;
/** Values of such variables are addresses of things, not secrets. */
const NOT_A_SECRET = /^(?:[/~.][^\s]*|true|false|\d+|\w+:\/\/[^@]*)$/i;
/** A project's list is short, and its values are no words that stand elsewhere by chance. */
const PROJECT = { entries: 200, minLength: 8, maxLength: 4096, variety: 6 };

/** Rules for the values of environment variables whose names, or values, say that they are secret. */
export function environmentRules(env: NodeJS.ProcessEnv): SecretRule[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => {
    if (!isSecretVariable(name, value) || value.length < MIN_LENGTH || NOT_A_SECRET.test(value)) return [];
    // Of an address only the password is secret.
    const [, password = value] = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(value) ?? [];
    return variety(password) > 3 && password.length > 5 ? [password] : [];
  });
  return [...new Set(values)].map((match) => ({ match, mode: 'obfuscate' }));
}

/**
 * Rules for keys that models were called with. A local server takes any word for a key (`x`, `none`), and a rule for that would
 * mask the same letters everywhere, also in the names of fields.
 */
export function keyRules(keys: readonly string[]): SecretRule[] {
  const secret = keys.filter((key) => key.length >= MIN_LENGTH && variety(key) > 3);
  return secret.map((match) => ({ match, mode: 'obfuscate' }));
}

/** Rules for the keys that a models file holds: all texts under names such as `apiKey` and `headers`. */
export async function modelKeyRules(file: string): Promise<SecretRule[]> {
  let content: unknown;
  try {
    content = await parseModelsText(await readFile(file, 'utf8'));
  } catch {
    return []; // Absent, or wrong, which the models plugin reports itself.
  }
  const keys = new Set<string>();
  const collect = (value: unknown, isKey: boolean): void => {
    if (typeof value === 'string') {
      const bare = value.replace(/^(?:bearer|basic)\s+/i, '');
      if (isKey && bare.length >= MIN_LENGTH && !/^[$!]/.test(bare)) keys.add(bare);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value))
        collect(item, isKey || /(?:api_?key|token|secret|password|authorization|headers)$/i.test(name));
    }
  };
  collect(content, false);
  return keyRules([...keys]);
}

/** Rules of a `secrets.yml`. A file that is not there has none; one that cannot be understood is an error. */
export async function fileRules(
  file: string,
  options: { fromProject: boolean; warn(error: TenonError): void; env?: NodeJS.ProcessEnv },
): Promise<SecretRule[]> {
  let list: unknown;
  try {
    // A project can make it a link to a device, which never ends.
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
    list = parse(await readFile(file, 'utf8'));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw errors.create('SECRETS_FILE_INVALID', { file, reason: messageOf(fault) }, fault);
  }
  if (list === null) return [];
  if (!Array.isArray(list)) throw errors.create('SECRETS_FILE_INVALID', { file, reason: 'it is not a list' });
  const entries = options.fromProject ? list.slice(0, PROJECT.entries) : list;
  if (entries.length < list.length)
    options.warn(errors.create('SECRETS_PROJECT_LONG', { file, limit: PROJECT.entries }));
  return entries.flatMap((raw: unknown, index) => {
    const invalid = (reason: string) =>
      errors.create('SECRETS_FILE_INVALID', { file, reason: `entry ${index + 1} ${reason}` });
    const rule = ruleOf(raw, invalid, options.env ?? process.env);
    if (rule === undefined) return [];
    if (!options.fromProject) return [rule];
    const refusal = projectRefusal(rule);
    if (refusal !== undefined) {
      options.warn(errors.create('SECRETS_PROJECT_ENTRY', { file, number: index + 1, reason: refusal }));
      return [];
    }
    return [{ match: rule.match, mode: 'obfuscate' as const, fromProject: true }];
  });
}

/** Why a project's entry does not count: it could rewrite what the model reads. */
function projectRefusal({ match, mode, replacement, restore }: SecretRule): string | undefined {
  if (typeof match !== 'string') return 'it is a pattern, and a project may only list plain values';
  if (mode === 'replace' || replacement !== undefined) return 'it says what to write instead';
  if (restore !== undefined) return 'it says who gets the value';
  if (match.length < PROJECT.minLength || match.length > PROJECT.maxLength)
    return `it has less than ${PROJECT.minLength} or more than ${PROJECT.maxLength} characters`;
  const isWord = /\s/.test(match) || !/\d|[^\p{L}\d\s_-]/u.test(match);
  return isWord || variety(match) < PROJECT.variety ? 'it could be an ordinary word' : undefined;
}

function ruleOf(raw: unknown, invalid: (reason: string) => Error, env: NodeJS.ProcessEnv): SecretRule | undefined {
  if (typeof raw !== 'object' || raw === null) throw invalid('is not a mapping');
  const { type, content, mode = 'obfuscate', replacement, flags = '', restore } = raw as Record<string, unknown>;
  if (typeof content !== 'string' || content === '') throw invalid('has no content');
  if (mode !== 'obfuscate' && mode !== 'replace') throw invalid('has a mode other than obfuscate or replace');
  const extra = {
    ...(typeof replacement === 'string' && { replacement }),
    ...(restore !== undefined && { restore: restorePlaces(restore, invalid) }),
  };
  if (type === 'plain') return { match: content, mode, ...extra };
  if (type === 'environment') {
    const value = env[content];
    return value === undefined || value === '' ? undefined : { match: value, mode, ...extra };
  }
  if (type !== 'regex') throw invalid('has a type other than plain, environment or regex');
  const literal = /^\/(.*)\/([a-z]*)$/s.exec(content);
  try {
    const [source, flagText] = literal ? [literal[1] ?? '', literal[2] ?? ''] : [content, String(flags)];
    return { match: new RegExp(source, flagText.includes('g') ? flagText : `${flagText}g`), mode, ...extra };
  } catch (fault) {
    throw invalid(`has a pattern that cannot be used: ${messageOf(fault)}`);
  }
}

function restorePlaces(raw: unknown, invalid: (reason: string) => Error): RestorePlace[] {
  if (!Array.isArray(raw)) throw invalid('has a restore that is not a list');
  return raw.map((place: unknown) => {
    const { tool, hosts, command } = (place ?? {}) as Record<string, unknown>;
    if (typeof tool !== 'string' || tool === '') throw invalid('has a restore without a tool');
    const isHosts = Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => typeof host === 'string');
    if (hosts !== undefined && !isHosts) throw invalid('has a restore whose hosts are not a list of names');
    if (command !== undefined && (typeof command !== 'string' || isHosts))
      throw invalid('has a restore whose command is not a text, or that has hosts as well');
    return { tool, ...(isHosts && { hosts: hosts as string[] }), ...(typeof command === 'string' && { command }) };
  });
}
