/** From a repository to the way to its server: which kind it is, where its API is, which token is for it. */
import type { Registry } from '@tenon/kernel';
import { isPrivateHost } from '@tenon/sandbox/api';
import type { Dispatcher } from 'undici';
import { type Forge, type ForgeApi, type ForgeData } from './api.ts';
import { errors } from './errors.ts';
import type { GithubSettings } from './generated/settings.ts';
import { AnswerCache } from './http/answer-cache.ts';
import { ForgeClient } from './http/forge-client.ts';
import { isRepoName, parseRemote, type Remote, remotesOf } from './remotes.ts';
import type { RepoName } from './things.ts';
import { type Token, type TokenHost, type Tokens, waysIn } from './tokens.ts';

/** What servers are found with. */
export interface ServerOptions {
  readonly forges: Registry<Forge>;
  readonly settings: GithubSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tokens: Tokens;
  readonly userAgent: string;
}

/** A repository and the way to its server. */
export interface Place {
  readonly repo: RepoName;
  readonly host: string;
  readonly forgeTitle: string;
  readonly api: ForgeApi;
  readonly token: Token | undefined;
  /** The remote of the folder that leads there, if one does. */
  readonly remote: Remote | undefined;
}

/** Where a call goes, before anything is asked. */
export interface Target extends TokenHost {
  readonly api: string;
  readonly repo: RepoName | undefined;
  readonly remote: Remote | undefined;
}

/** Knows servers. */
export class Servers {
  readonly #options: ServerOptions;
  readonly #cache = new AnswerCache();
  #dispatcher: Promise<Dispatcher> | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /**
   * Finds out what is meant: by `repo`, which is `owner/name`, `host/owner/name` or an address, else by the remotes of the folder.
   * A host that only a repository names gets nothing, above all no token.
   */
  async target(repo: string | undefined, cwd: string, signal?: AbortSignal): Promise<Target> {
    const remotes = await remotesOf(cwd, signal);
    if (repo === undefined || repo === '') {
      const known = remotes.find(({ host }) => this.#kindOf(host) !== undefined);
      const [first] = remotes;
      if (!known && first) throw errors.create('GITHUB_HOST_UNKNOWN', { host: first.host });
      if (!known) throw errors.create('GITHUB_NO_REPOSITORY', { reason: 'the folder has no remote on a server' });
      return this.#targetOf(known, known);
    }
    const named = this.#named(repo, remotes);
    const same = (one: Remote) =>
      one.host === named.host &&
      `${one.owner}/${one.name}`.toLowerCase() === `${named.owner}/${named.name}`.toLowerCase();
    return this.#targetOf(named, remotes.find(same));
  }

  /** The server of the folder, or github.com: for searches, which need no repository. */
  async anyTarget(repo: string | undefined, cwd: string, signal?: AbortSignal): Promise<Target> {
    if (repo !== undefined && repo !== '') return this.target(repo, cwd, signal);
    const known = (await remotesOf(cwd, signal)).find(({ host }) => this.#kindOf(host) !== undefined);
    if (known) return this.#targetOf(known, known);
    return { ...(await this.#targetOf({ host: 'github.com', owner: 'x', name: 'x' }, undefined)), repo: undefined };
  }

  #named(repo: string, remotes: readonly Remote[]): Remote {
    const parts = repo.split('/');
    const [first = ''] = parts;
    const hasHost = parts.length > 2 && this.#kindOf(first.toLowerCase()) !== undefined;
    const address = hasHost ? undefined : parseRemote(repo);
    if (address) return { host: address.host, owner: address.owner, name: address.name };
    const host = hasHost
      ? first.toLowerCase()
      : (remotes.find((one) => this.#kindOf(one.host) !== undefined)?.host ?? 'github.com');
    const rest = hasHost ? parts.slice(1) : parts;
    const named = { host, owner: rest.slice(0, -1).join('/'), name: (rest.at(-1) ?? '').replace(/\.git$/, '') };
    if (!isRepoName(named))
      throw errors.create('GITHUB_INPUT', {
        reason: `"${repo.slice(0, 200)}" is not a repository`,
        todo: 'Write it as "owner/name".',
      });
    return named;
  }

  #kindOf(host: string): { forge: string; api?: string; tokenEnv?: string; isPublic: boolean } | undefined {
    const { settings, env, forges } = this.#options;
    const own = settings.hosts[host];
    if (own) return { ...own, forge: own.forge ?? 'github', isPublic: false };
    for (const { key, data } of forges.list()) {
      const { hosts = [], hostEnv } = data as Partial<ForgeData>;
      if (hosts.some((pattern) => (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern)))
        return { forge: key, isPublic: true };
      if (hostEnv !== undefined && env[hostEnv]?.toLowerCase() === host) return { forge: key, isPublic: false };
    }
    return undefined;
  }

  async #targetOf({ host, owner, name }: Remote, remote: Remote | undefined): Promise<Target> {
    const kind = this.#kindOf(host);
    if (!kind) throw errors.create('GITHUB_HOST_UNKNOWN', { host });
    const entries = this.#options.forges.list();
    const entry = entries.find(({ key }) => key === kind.forge);
    if (!entry)
      throw errors.create('GITHUB_FORGE_UNKNOWN', { forge: kind.forge, host, forges: entries.map(({ key }) => key) });
    const forge = await this.#options.forges.resolve(kind.forge);
    const api = (kind.api ?? forge.apiOf(host)).replace(/\/+$/, '');
    checkApi(host, api);
    return {
      host,
      forge: kind.forge,
      data: entry.data as unknown as ForgeData,
      isPublic: kind.isPublic,
      tokenEnv: kind.tokenEnv,
      api,
      repo: { owner, name },
      remote,
    };
  }

  /** Opens the way. */
  async open(target: Target, signal: AbortSignal, onWait?: (seconds: number) => void): Promise<Place> {
    const { settings, forges, userAgent } = this.#options;
    const [forge, token] = await Promise.all([forges.resolve(target.forge), this.#options.tokens.find(target)]);
    const client = new ForgeClient({
      host: target.host,
      api: target.api,
      forge: target.data.title,
      ...(token && { token: { ...token, headers: forge.authorization(token.value) } }),
      ways: waysIn(target),
      userAgent,
      timeoutMs: settings.timeoutSeconds * 1000,
      maxWaitMs: settings.maxWaitSeconds * 1000,
      signal,
      cache: this.#cache,
      dispatcher: () =>
        (this.#dispatcher ??= import('./http/transport.ts').then(({ openDispatcher }) => openDispatcher())),
      ...(onWait && { onWait }),
    });
    return {
      repo: target.repo ?? { owner: '', name: '' },
      host: target.host,
      forgeTitle: target.data.title,
      api: forge.open(client),
      token,
      remote: target.remote,
    };
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await (await this.#dispatcher)?.destroy();
  }
}

function checkApi(host: string, api: string): void {
  const refuse = (reason: string) => errors.create('GITHUB_API_ADDRESS', { host, api: api.slice(0, 200), reason });
  if (!URL.canParse(api)) throw refuse('it is not a valid address');
  const { protocol, username, password, hostname } = new URL(api);
  if (username !== '' || password !== '') throw refuse('it holds a user name or password');
  const isLocal = hostname === 'localhost' || /^127\.|^\[::1\]$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal && isPrivateHost(hostname)))
    throw refuse('a token must not go over an open connection');
}
