/** Finds the user's token for a server, and gives it for no other. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findInPath, type Folders } from '@tenon/host';
import type { AuthStore } from '@tenon/models/api';
import type { ForgeData } from './api.ts';

/** A token and where it is from. */
export interface Token {
  readonly value: string;
  readonly from: string;
}

/** What finding tokens needs. */
export interface TokenOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: Pick<Folders, 'home'>;
  readonly useGh: boolean;
  authStore(): Promise<AuthStore | undefined>;
}

/** A host and what it is. */
export interface TokenHost {
  readonly host: string;
  readonly forge: string;
  readonly data: ForgeData;
  /** True for the hosts that the forge itself names: github.com. */
  readonly isPublic: boolean;
  /** The variable that the user's settings name for this host. */
  readonly tokenEnv: string | undefined;
}

const GH_MS = 10_000;
const PRINTABLE = /^[\x21-\x7e]{4,1000}$/;

/** The tokens of this process. */
export class Tokens {
  readonly #options: TokenOptions;
  readonly #ofGh = new Map<string, Promise<Token | undefined>>();

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  /** The token for a host: of its variable, of the environment, of the credential store, of `gh`. */
  async find({ host, forge, data, isPublic, tokenEnv }: TokenHost): Promise<Token | undefined> {
    const { env, useGh } = this.#options;
    const names = tokenEnv === undefined ? (isPublic ? data.env : data.otherEnv) : [tokenEnv];
    for (const name of names) {
      const value = env[name]?.trim();
      if (value !== undefined && PRINTABLE.test(value)) return { value, from: name };
    }
    if (tokenEnv !== undefined) return undefined;
    if (isPublic) {
      const [stored] = (await (await this.#options.authStore())?.keys(data.auth)) ?? [];
      if (stored !== undefined && PRINTABLE.test(stored))
        return { value: stored, from: `tenon auth login ${data.auth}` };
    }
    return forge === 'github' && useGh ? this.#fromGh(host) : undefined;
  }

  /** `gh` gives tokens only for hosts that its user has logged in to. */
  #fromGh(host: string): Promise<Token | undefined> {
    const known = this.#ofGh.get(host);
    if (known) return known;
    const asked = this.#askGh(host);
    this.#ofGh.set(host, asked);
    return asked;
  }

  async #askGh(host: string): Promise<Token | undefined> {
    const { env, folders } = this.#options;
    const gh = findInPath('gh', env);
    if (gh === undefined || !/^[\w.:-]+$/.test(host) || host.startsWith('-')) return undefined;
    try {
      // In the home folder: nothing of a project has a say in this.
      const { stdout } = await promisify(execFile)(gh, ['auth', 'token', '--hostname', host], {
        cwd: folders.home,
        env: { ...env, GH_PROMPT_DISABLED: '1' },
        timeout: GH_MS,
        maxBuffer: 64 * 1024,
      });
      const value = stdout.trim();
      return PRINTABLE.test(value) ? { value, from: '`gh auth login`' } : undefined;
    } catch {
      return undefined; // Nobody is logged in there; what it says could hold more than it should.
    }
  }
}

/** How the user can log in, for messages. */
export function waysIn({ host, forge, data, isPublic, tokenEnv }: TokenHost): string {
  if (tokenEnv !== undefined) return `the variable ${tokenEnv}`;
  const names = isPublic ? data.env : data.otherEnv;
  const gh = forge === 'github' ? [`\`gh auth login${isPublic ? '' : ` --hostname ${host}`}\``] : [];
  const store = isPublic ? [`\`tenon auth login ${data.auth}\``] : [];
  return [...gh, ...store, ...(names[0] === undefined ? [] : [`the variable ${names[0]}`])].join(', or ');
}
