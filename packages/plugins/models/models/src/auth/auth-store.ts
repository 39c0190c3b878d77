import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf, TenonError } from '@tenon/kernel';
import type { AuthStore, Endpoint, KeySource, OAuthSpec, StoredCredential } from '../api.ts';
import { errors } from '../errors.ts';
import { type Access, AccessDesk } from './access.ts';
import { withClient } from './client.ts';
import { refresh, RENEW_BEFORE_MS } from './oauth.ts';
import type { Credentials, CredentialVault } from './vault.ts';

/** An endpoint, with the key that the models file gives for it. */
export interface KeyedEndpoint extends Endpoint {
  /** A key, `$VARIABLE`, or `!command` that prints the key. From the user's own models file only. */
  readonly apiKey?: string;
}

/** What the store asks of its surroundings. */
export interface AuthHost {
  readonly vault: CredentialVault;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly modelsFile: string;
  endpoints(): Promise<ReadonlyMap<string, KeyedEndpoint>>;
  /** Called once when stored credentials cannot be opened and another key, or none, will do. */
  report(error: TenonError): void;
}

type Listed = Awaited<ReturnType<AuthStore['list']>>[number];
type OAuth = Extract<StoredCredential, { kind: 'oauth' }>;

const COMMAND_MS = 30_000;

/** How the names of secrets of other plugins begin; no provider can be called so. */
const SECRET = 'secret ';

function secretIn(all: Credentials, name: string): string | undefined {
  const [credential] = all[SECRET + name] ?? [];
  return credential?.kind === 'api-key' ? credential.key : undefined;
}

/** Runtime override, stored, environment, resolver: the first that has a key gives it. */
export class LayeredAuthStore implements AuthStore {
  readonly #host: AuthHost;
  readonly #runtime = new Map<string, string>();
  readonly #refreshing = new Map<string, Promise<OAuth>>();
  /** A command may ask the user; its answer holds for the run. */
  readonly #commands = new Map<string, Promise<string>>();
  readonly #reported = new Set<string>();
  readonly #used = new Set<string>();
  readonly #desk: AccessDesk;

  constructor(host: AuthHost) {
    this.#host = host;
    this.#desk = new AccessDesk(host.env);
  }

  setRuntimeKey(provider: string, key: string): void {
    this.#runtime.set(provider, key);
  }

  used(): readonly string[] {
    return [...this.#used];
  }

  async keys(provider: string): Promise<readonly string[]> {
    const keys = await this.#find(provider);
    for (const key of keys) this.#used.add(key);
    return keys;
  }

  /** What a key becomes at its endpoint before models are called with it. */
  async access(provider: string, key: string): Promise<Access> {
    const spec = (await this.#host.endpoints()).get(provider)?.access;
    if (!spec) return { apiKey: key };
    const access = await this.#desk.for(provider, spec, key).catch(async (fault: unknown) => {
      const login = isRefusal(fault) ? await this.#newerLogin(provider, key) : undefined;
      if (!login) throw fault;
      return this.#desk.for(provider, spec, login.access);
    });
    this.#used.add(access.apiKey);
    return access;
  }

  /** The login of an endpoint, with the client that is used for it. */
  clientFor(spec: OAuthSpec, ownId?: string): OAuthSpec {
    return withClient(spec, this.#host.env, ownId);
  }

  async #find(provider: string): Promise<readonly string[]> {
    const runtime = this.#runtime.get(provider);
    if (runtime !== undefined) return [runtime];
    const { credentials: stored, fault } = await this.#stored(provider);
    if (stored.length > 0) return Promise.all(stored.map((credential) => this.#token(provider, credential)));
    const endpoint = (await this.#host.endpoints()).get(provider);
    const fromEnv = this.#environment(endpoint?.env) ?? this.#environment(endpoint?.sharedEnv);
    const isElsewhere = fromEnv !== undefined || endpoint?.apiKey !== undefined || endpoint?.keyOptional === true;
    if (fault && !isElsewhere) throw fault;
    if (fault) this.#reportOnce(fault);
    if (fromEnv) return fromEnv.keys;
    return endpoint?.apiKey === undefined ? [] : [await this.#resolve(provider, endpoint.apiKey)];
  }

  /** A keychain that stays locked, or a damaged file, must not stand between the user and a key that is somewhere else. */
  async #stored(provider: string): Promise<{ credentials: readonly StoredCredential[]; fault?: TenonError }> {
    try {
      return { credentials: (await this.#host.vault.read())[provider] ?? [] };
    } catch (fault) {
      if (fault instanceof TenonError) return { credentials: [], fault };
      throw fault;
    }
  }

  #reportOnce(fault: TenonError): void {
    if (this.#reported.has(fault.message)) return;
    this.#reported.add(fault.message);
    this.#host.report(fault);
  }

  /** Whether there is a key, without running commands or renewing tokens. */
  async hasKey(provider: string): Promise<boolean> {
    if (this.#runtime.has(provider)) return true;
    const { credentials, fault } = await this.#stored(provider);
    if (fault) this.#reportOnce(fault);
    if (credentials.length > 0) return true;
    const endpoint = (await this.#host.endpoints()).get(provider);
    if (this.#environment(endpoint?.env)) return true;
    const { apiKey } = endpoint ?? {};
    return apiKey !== undefined && (!apiKey.startsWith('$') || !!this.#host.env[apiKey.slice(1)]);
  }

  async source(provider: string): Promise<KeySource | undefined> {
    if (this.#runtime.has(provider)) return { from: 'this run' };
    const [stored] = (await this.#stored(provider)).credentials;
    if (stored) return { from: stored.kind === 'oauth' ? 'login' : 'stored' };
    const endpoint = (await this.#host.endpoints()).get(provider);
    const inEnvironment = this.#environment(endpoint?.env) ?? this.#environment(endpoint?.sharedEnv);
    if (inEnvironment) return { from: 'environment', variable: inEnvironment.variable };
    return endpoint?.apiKey === undefined ? undefined : { from: 'models file' };
  }

  async store(provider: string, credential: StoredCredential): Promise<void> {
    const join = (all: Credentials) => ({ ...all, [provider]: added(all[provider] ?? [], credential) });
    // Somebody is there who can unlock a keychain; a token that is renewed in the background must not open a dialog.
    await this.#host.vault.update(join, { moveKey: true });
  }

  async remove(provider: string): Promise<boolean> {
    let removed = false;
    await this.#host.vault.update((all) => {
      removed = (all[provider]?.length ?? 0) > 0;
      if (!removed) return all;
      const { [provider]: _gone, ...rest } = all;
      return rest;
    });
    return this.#runtime.delete(provider) || removed;
  }

  async secret(name: string): Promise<string | undefined> {
    return secretIn(await this.#host.vault.read(), name);
  }

  async changeSecret(
    name: string,
    change: (present: string | undefined) => string | undefined | Promise<string | undefined>,
  ): Promise<void> {
    await this.#host.vault.update(async (all) => {
      const { [SECRET + name]: _present, ...others } = all;
      const key = await change(secretIn(all, name));
      return key === undefined ? others : { ...others, [SECRET + name]: [{ kind: 'api-key', key }] };
    });
  }

  async list(): Promise<readonly Listed[]> {
    const listed: Listed[] = [];
    for (const [provider, key] of this.#runtime)
      listed.push({ provider, kind: 'api-key', source: 'this run', masked: mask(key) });
    const keptBy = (await this.#host.vault.keptBy()) === 'keychain' ? 'stored (keychain)' : 'stored (key file)';
    for (const [provider, credentials] of Object.entries(await this.#host.vault.read()))
      // Secrets of other plugins are listed by those.
      if (!provider.startsWith(SECRET))
        for (const credential of credentials)
          listed.push({ provider, kind: credential.kind, source: keptBy, masked: mask(secretOf(credential)) });
    for (const [provider, endpoint] of await this.#host.endpoints()) {
      const inEnvironment = this.#environment(endpoint.env);
      for (const key of inEnvironment?.keys ?? [])
        listed.push({ provider, kind: 'api-key', source: `$${inEnvironment?.variable}`, masked: mask(key) });
      if (endpoint.apiKey !== undefined) listed.push({ provider, kind: 'api-key', ...resolverRow(endpoint.apiKey) });
    }
    return listed;
  }

  #environment(variables: readonly string[] = []): { keys: readonly string[]; variable: string } | undefined {
    for (const variable of variables) {
      const keys = (this.#host.env[variable] ?? '')
        .split(',')
        .map((key) => key.trim())
        .filter(Boolean);
      if (keys.length > 0) return { keys, variable };
    }
    return undefined;
  }

  async #token(provider: string, credential: StoredCredential): Promise<string> {
    if (credential.kind === 'api-key') return credential.key;
    if (!isEnding(credential)) return credential.access;
    // Several calls of this process wait for one renewal.
    let renewal = this.#refreshing.get(provider);
    if (!renewal) {
      renewal = this.#renew(provider, credential).finally(() => this.#refreshing.delete(provider));
      this.#refreshing.set(provider, renewal);
    }
    return (await renewal).access;
  }

  /**
   * Gets a new token in place of one that was refused before its time: another one in exchange for the same key, or a new login token.
   * False when the key is neither exchanged nor a token of a login.
   */
  async renew(provider: string, key: string): Promise<boolean> {
    if (this.#desk.forget(provider, key)) return true;
    return (await this.#newerLogin(provider, key)) !== undefined;
  }

  /** The login in place of a token that was refused: what another process has renewed meanwhile, or a new one. */
  async #newerLogin(provider: string, key: string): Promise<OAuth | undefined> {
    const stored = (await this.#host.vault.read())[provider] ?? [];
    const login = stored.find((item) => item.kind === 'oauth');
    if (!login || stored.some((item) => item.kind === 'api-key' && item.key === key)) return undefined;
    if (login.access !== key) return login;
    return login.refresh === undefined ? undefined : this.#renew(provider, login, key);
  }

  /** Renews under the vault's lock: refresh tokens often work once, so that two processes must not both use one. */
  async #renew(provider: string, credential: OAuth, refused?: string): Promise<OAuth> {
    const spec = (await this.#host.endpoints()).get(provider)?.oauth;
    if (!spec)
      throw errors.create('MODELS_LOGIN_EXPIRED', { provider, reason: 'nothing is known about its login any more' });
    let current = credential;
    await this.#host.vault.update(async (all) => {
      const stored = (all[provider] ?? []).find((item): item is OAuth => item.kind === 'oauth');
      if (stored && !isEnding(stored) && stored.access !== refused) {
        current = stored; // Another process has renewed it meanwhile.
        return all;
      }
      current = await refresh(provider, this.clientFor(spec), stored ?? credential);
      return { ...all, [provider]: added(all[provider] ?? [], current) };
    });
    return current;
  }

  async #resolve(provider: string, apiKey: string): Promise<string> {
    if (apiKey.startsWith('$')) {
      const value = this.#host.env[apiKey.slice(1)];
      if (value) return value;
      throw errors.create('MODELS_NO_KEY', { provider, orSet: `, or set ${apiKey.slice(1)}` });
    }
    if (!apiKey.startsWith('!')) return apiKey;
    let running = this.#commands.get(provider);
    if (!running) {
      running = this.#runCommand(provider, apiKey.slice(1));
      this.#commands.set(provider, running);
      running.catch(() => this.#commands.delete(provider)); // A failure may be repaired; it is tried again.
    }
    return running;
  }

  async #runCommand(provider: string, command: string): Promise<string> {
    const shell: [string, string[]] =
      process.platform === 'win32' ? ['cmd.exe', ['/d', '/s', '/c', command]] : ['sh', ['-c', command]];
    try {
      const { stdout } = await promisify(execFile)(...shell, { timeout: COMMAND_MS, maxBuffer: 1 << 20 });
      const key = stdout.trim();
      if (key === '') throw new Error('it printed nothing');
      return key;
    } catch (fault) {
      const reason = (messageOf(fault).split('\n')[0] ?? '').replace(command, 'the command');
      throw errors.create('MODELS_KEY_COMMAND', { provider, reason, file: this.#host.modelsFile }, fault);
    }
  }
}

function isRefusal(fault: unknown): boolean {
  return fault instanceof TenonError && fault.code === 'MODELS_KEY_REFUSED';
}

function isEnding({ expiresAt }: OAuth): boolean {
  return expiresAt !== undefined && expiresAt < Date.now() + RENEW_BEFORE_MS;
}

/** A new login replaces the old one; a new key joins the others. */
function added(present: readonly StoredCredential[], credential: StoredCredential): readonly StoredCredential[] {
  const isOther = (item: StoredCredential) =>
    credential.kind === 'oauth' ? item.kind !== 'oauth' : item.kind !== 'api-key' || item.key !== credential.key;
  return [...present.filter(isOther), credential];
}

function secretOf(credential: StoredCredential): string {
  return credential.kind === 'api-key' ? credential.key : credential.access;
}

/** Enough of a key to tell it from another one, and no more. */
export function mask(secret: string): string {
  return secret.length < 16 ? '…' : `${secret.slice(0, 4)}…${secret.slice(-4)}`;
}

function resolverRow(apiKey: string): { source: string; masked: string } {
  if (apiKey.startsWith('!')) return { source: 'models file (command)', masked: '…' };
  if (apiKey.startsWith('$')) return { source: `models file (${apiKey})`, masked: '…' };
  return { source: 'models file', masked: mask(apiKey) };
}
