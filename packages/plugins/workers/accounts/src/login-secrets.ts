/** Finds the secrets in the login files of CLIs, so that they can be kept out of what is shown of a worker. */
import { readdir } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { readPlainFile } from '@tenon/host';
import { LOGIN_HOMES, parseLogin } from './login-homes.ts';

/** Where CLIs keep the login of their own: below the home folder, and the variable that moves the first part. `*.json`: all of a folder. */
interface OwnLogin {
  readonly folder: string;
  readonly variable?: string;
  readonly file: string;
}

const OWN_LOGINS: Readonly<Record<string, readonly OwnLogin[]>> = {
  claude: [{ folder: '.claude', variable: 'CLAUDE_CONFIG_DIR', file: '.credentials.json' }],
  codex: [{ folder: '.codex', variable: 'CODEX_HOME', file: 'auth.json' }],
  gemini: [{ folder: '.gemini', file: 'oauth_creds.json' }],
  pi: [{ folder: '.pi/agent', variable: 'PI_CODING_AGENT_DIR', file: 'auth.json' }],
  opencode: [{ folder: '.local/share/opencode', file: 'auth.json' }],
  kimi: [{ folder: '.kimi-code/credentials', file: '*.json' }],
  amp: [{ folder: '.local/share/amp', file: 'secrets.json' }],
  cline: [{ folder: '.cline/data', file: 'secrets.json' }],
};

/** Fields that hold secrets; `access` and `refresh` are those of opencode and pi. */
const SECRET_FIELD = /token|secret|key|password|^(?:access|refresh)$/i;
/** What such fields hold beside secrets: kinds, names, times. */
const MIN_LENGTH = 16;
const MAX_FILE = 1024 * 1024;

/** The secrets of a CLI's own login, as far as they lie in files. A worker may have put something else there: only plain files are read. */
export async function ownLoginSecrets(
  worker: string,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const places = OWN_LOGINS[worker] ?? [];
  const found = await Promise.all(
    places.map(({ folder, variable, file }) => {
      const moved = variable === undefined ? undefined : env[variable];
      return secretsIn(moved !== undefined && isAbsolute(moved) ? moved : join(home, folder), file);
    }),
  );
  return found.flat();
}

/** The secrets of a folder that a CLI was given as its own. */
export async function folderSecrets(worker: string, folder: string): Promise<readonly string[]> {
  const file = LOGIN_HOMES[worker]?.file;
  return file === undefined ? [] : secretsIn(folder, file);
}

/** Secrets in the text of a login file. */
export function secretsInLogin(text: string): readonly string[] {
  return collect(parseLogin(text), '');
}

async function secretsIn(folder: string, file: string): Promise<readonly string[]> {
  const names = file.startsWith('*') ? (await namesIn(folder)).filter((name) => name.endsWith(file.slice(1))) : [file];
  const texts = await Promise.all(
    names.map(async (name) => {
      // What cannot be read here the worker cannot read either.
      const found = await readPlainFile(folder, join(folder, basename(name)), MAX_FILE).catch(() => ({}));
      return 'text' in found ? secretsInLogin(found.text) : [];
    }),
  );
  return texts.flat();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []); // It has never been logged in.
}

function collect(value: unknown, field: string): readonly string[] {
  if (typeof value === 'string') return SECRET_FIELD.test(field) && value.length >= MIN_LENGTH ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => collect(item, Array.isArray(value) ? field : name));
}
