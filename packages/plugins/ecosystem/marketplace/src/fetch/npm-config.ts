/** What npm was told about registries, read where npm keeps it. A project's own .npmrc does not count: it is a stranger's. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Registries and the keys for them. */
export class NpmConfig {
  readonly #values: ReadonlyMap<string, string>;
  readonly #home: string;
  #preset: Promise<string> | undefined;

  private constructor(values: ReadonlyMap<string, string>, home: string) {
    this.#values = values;
    this.#home = home;
  }

  /** Reads the user's file and the environment. */
  static async read(home: string, env: Environment): Promise<NpmConfig> {
    const file = env['npm_config_userconfig'] ?? env['NPM_CONFIG_USERCONFIG'] ?? join(home, '.npmrc');
    const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return '';
      throw errors.create('MARKETPLACE_UNREADABLE', { file, reason: messageOf(fault) }, fault);
    });
    const values = parseNpmrc(text, env);
    for (const [name, value] of Object.entries(env)) {
      const key = /^npm_config_(.+)$/i.exec(name)?.[1];
      if (key === undefined || value === undefined) continue;
      values.set(/^(?:@|\/\/)/.test(key) ? key : key.toLowerCase().replaceAll('_', '-'), value);
    }
    return new NpmConfig(values, home);
  }

  /** The registry of a package, with a slash at its end. */
  async registryFor(name: string): Promise<string> {
    const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined;
    const scoped = scope === undefined ? undefined : this.#values.get(`${scope}:registry`);
    return withSlash(scoped ?? this.#values.get('registry') ?? (await (this.#preset ??= askNpm(this.#home))));
  }

  /** Headers for an address: the key for the longest part of it that there is one for. */
  headersFor(url: string): Record<string, string> {
    const { host, pathname } = new URL(url);
    for (let path = pathname; ; path = path.slice(0, path.lastIndexOf('/'))) {
      const place = `//${host}${withSlash(path)}:`;
      const token = this.#values.get(`${place}_authToken`);
      if (token !== undefined) return { authorization: `Bearer ${token}` };
      const basic = this.#values.get(`${place}_auth`);
      if (basic !== undefined) return { authorization: `Basic ${basic}` };
      const [user, password] = [this.#values.get(`${place}username`), this.#values.get(`${place}_password`)];
      if (user !== undefined && password !== undefined) {
        const plain = `${user}:${Buffer.from(password, 'base64').toString()}`;
        return { authorization: `Basic ${Buffer.from(plain).toString('base64')}` };
      }
      if (path === '' || path === '/') return {};
    }
  }
}

/** Lines `key = value`; `${NAME}` stands for a variable of the environment. */
function parseNpmrc(text: string, env: Environment): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([^=\s;#[][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) continue;
    const [, key = '', written = ''] = match;
    const value = written.replace(/^(["'])(.*)\1$/, '$2');
    values.set(
      key,
      value.replace(/\$\{([^}]+)\}/g, (whole, name: string) => env[name] ?? whole),
    );
  }
  return values;
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** The registry that npm uses when it was told nothing is known to npm alone. */
function askNpm(home: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ['config', 'get', 'registry', '--location=global', '--no-update-notifier'];
    execFile('npm', args, { cwd: home, encoding: 'utf8', timeout: 20_000 }, (fault, out) => {
      const url = out.trim();
      if (!fault && /^https?:\/\//.test(url)) return resolve(url);
      const reason = `npm does not say which registry to use (${fault ? messageOf(fault) : url}); set "registry" in .npmrc`;
      reject(errors.create('MARKETPLACE_NPM_INVALID', { package: '(any)', reason }, fault));
    });
  });
}
