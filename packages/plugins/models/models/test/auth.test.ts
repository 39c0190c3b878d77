import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TenonError } from '@tenon/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KeyedEndpoint, LayeredAuthStore, mask } from '../src/auth/auth-store.ts';
import { keyFile, type MasterKeySource } from '../src/auth/master-key.ts';
import { login } from '../src/auth/oauth.ts';
import { CredentialVault } from '../src/auth/vault.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'tenon-auth-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const noKeychain: MasterKeySource = {
  kind: 'keychain',
  read: () => Promise.reject(new Error('access denied')),
  create: () => Promise.reject(new Error('access denied')),
};
const file = () => join(folder, 'data', 'credentials.json');
const vaultOf = (...sources: MasterKeySource[]) =>
  new CredentialVault(
    file(),
    sources.length > 0 ? sources : [noKeychain, keyFile(join(folder, 'config', 'credentials.key'))],
  );

function storeOf(
  options: {
    endpoints?: Record<string, KeyedEndpoint>;
    env?: Record<string, string>;
    vault?: CredentialVault;
    reports?: TenonError[];
  } = {},
) {
  const { endpoints = {}, env = {}, vault = vaultOf() } = options;
  return new LayeredAuthStore({
    vault,
    env,
    modelsFile: 'models.yml',
    endpoints: async () => new Map(Object.entries(endpoints)),
    report: (error) => void options.reports?.push(error),
  });
}

describe('stored credentials that cannot be opened', () => {
  const acme: KeyedEndpoint = { name: 'Acme', api: 'x', env: ['ACME_KEY'] };

  it('do not stand in the way of a key that is somewhere else, and are told once', async () => {
    await vaultOf().update(() => ({ other: [{ kind: 'api-key', key: 'sk-stored-value' }] }));
    const reports: TenonError[] = [];
    const endpoints = { acme, local: { name: 'Local', api: 'x', keyOptional: true } };
    const store = storeOf({ endpoints, env: { ACME_KEY: 'from-env' }, vault: vaultOf(noKeychain), reports });
    expect(await store.keys('acme')).toEqual(['from-env']);
    expect(await store.hasKey('acme')).toBe(true);
    expect(await store.keys('local')).toEqual([]);
    expect(reports.map(({ code }) => code)).toEqual(['MODELS_VAULT_KEY']);
  });

  it('are the reason when there is no other key', async () => {
    await vaultOf().update(() => ({ acme: [{ kind: 'api-key', key: 'sk-stored-value' }] }));
    const store = storeOf({ endpoints: { acme }, vault: vaultOf(noKeychain) });
    await expect(store.keys('acme')).rejects.toMatchObject({ code: 'MODELS_VAULT_KEY' });
  });
});

describe('the credential file', () => {
  it('keeps credentials unreadable without the key, for the owner alone', async () => {
    await vaultOf().update(() => ({ acme: [{ kind: 'api-key', key: 'sk-very-secret-value' }] }));
    const text = await readFile(file(), 'utf8');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('acme');
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'config', 'credentials.key'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
    expect(await vaultOf().read()).toEqual({ acme: [{ kind: 'api-key', key: 'sk-very-secret-value' }] });
    expect(await vaultOf().keptBy()).toBe('file');
  });

  it('uses the keychain where there is one', async () => {
    let kept: Buffer | undefined;
    const chain: MasterKeySource = {
      kind: 'keychain',
      read: async () => kept,
      create: async () => (kept = Buffer.alloc(32, 7)),
    };
    await vaultOf(chain, keyFile(join(folder, 'k'))).update(() => ({ acme: [{ kind: 'api-key', key: 'x' }] }));
    expect(await vaultOf(chain).keptBy()).toBe('keychain');
    expect(await vaultOf(chain).read()).toEqual({ acme: [{ kind: 'api-key', key: 'x' }] });
    await expect(vaultOf(noKeychain).read()).rejects.toMatchObject({ code: 'MODELS_VAULT_KEY' });
  });

  it('notices a changed file and never replaces it', async () => {
    await vaultOf().update(() => ({ acme: [{ kind: 'api-key', key: 'x' }] }));
    const sealed = JSON.parse(await readFile(file(), 'utf8')) as { data: string };
    const data = Buffer.from(sealed.data, 'base64');
    data[0] = (data[0] ?? 0) ^ 1;
    const changed = JSON.stringify({ ...sealed, data: data.toString('base64') });
    await writeFile(file(), changed);
    await expect(vaultOf().update((all) => ({ ...all }))).rejects.toMatchObject({ code: 'MODELS_VAULT_DAMAGED' });
    expect(await readFile(file(), 'utf8')).toBe(changed);
  });

  it('is read again when its key moves to another place while it is read', async () => {
    const chain = keyFile(join(folder, 'chain'));
    const better: MasterKeySource = { kind: 'keychain', read: () => chain.read(), create: () => chain.create() };
    const plain = keyFile(join(folder, 'key'));
    await vaultOf(plain).update(() => ({ acme: [{ kind: 'api-key', key: 'x' }] }));
    const moving: MasterKeySource = {
      ...plain,
      async read() {
        await vaultOf(better, plain).update((all) => ({ ...all }), { moveKey: true });
        return plain.read();
      },
    };
    const reader = vaultOf(better, moving);
    expect(await reader.keptBy()).toBe('file');
    expect(await reader.read()).toEqual({ acme: [{ kind: 'api-key', key: 'x' }] });
    expect(await reader.keptBy()).toBe('keychain');
  });

  it('loses no change when many come at the same time', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        vaultOf().update((all) => ({ ...all, [`p${i}`]: [{ kind: 'api-key' as const, key: `k${i}` }] })),
      ),
    );
    expect(Object.keys(await vaultOf().read())).toHaveLength(12);
  });
});

describe('finding a key', () => {
  const acme: KeyedEndpoint = {
    name: 'Acme',
    api: 'x',
    env: ['ACME_TOKEN', 'ACME_KEY'],
    apiKey: '!printf from-command',
  };

  it('asks the run, the store, the environment and the resolver, in this order', async () => {
    const env: Record<string, string> = { ACME_KEY: 'env-1, env-2' };
    const store = storeOf({ endpoints: { acme }, env });
    expect(await store.keys('acme')).toEqual(['env-1', 'env-2']);
    env['ACME_TOKEN'] = 'token';
    expect(await store.keys('acme')).toEqual(['token']);
    await store.store('acme', { kind: 'api-key', key: 'stored-1' });
    await store.store('acme', { kind: 'api-key', key: 'stored-2' });
    await store.store('acme', { kind: 'api-key', key: 'stored-1' });
    expect(await store.keys('acme')).toEqual(['stored-2', 'stored-1']);
    store.setRuntimeKey('acme', 'runtime');
    expect(await store.keys('acme')).toEqual(['runtime']);
    expect(await store.remove('acme')).toBe(true);
    expect(await store.remove('acme')).toBe(false);
    expect(await storeOf({ endpoints: { acme } }).keys('acme')).toEqual(['from-command']);
    expect(
      await storeOf({ endpoints: { acme: { ...acme, apiKey: '$OTHER' } }, env: { OTHER: 'other' } }).keys('acme'),
    ).toEqual(['other']);
    expect(await storeOf().keys('unknown')).toEqual([]);
  });

  it('says what failed when a command gives no key, without showing the command', async () => {
    const store = storeOf({ endpoints: { acme: { ...acme, env: [], apiKey: '!echo hidden-detail >&2; exit 3' } } });
    await expect(store.keys('acme')).rejects.toMatchObject({ code: 'MODELS_KEY_COMMAND' });
    await expect(store.keys('acme')).rejects.not.toThrow(/exit 3/);
  });

  it('says where the key comes from that counts, without fetching it', async () => {
    const env = { ACME_KEY: 'sk-1' };
    const store = storeOf({ endpoints: { acme, beta: { ...acme, env: [], apiKey: '!exit 3' } }, env });
    expect(await store.source('acme')).toEqual({ from: 'environment', variable: 'ACME_KEY' });
    expect(await store.source('beta')).toEqual({ from: 'models file' });
    expect(await store.source('gamma')).toBeUndefined();
    await store.store('acme', { kind: 'api-key', key: 'sk-2' });
    expect(await store.source('acme')).toEqual({ from: 'stored' });
    // It has ended, and is not renewed for the question.
    await store.store('gamma', { kind: 'oauth', access: 'old', expiresAt: 1 });
    expect(await store.source('gamma')).toEqual({ from: 'login' });
    store.setRuntimeKey('acme', 'sk-3');
    expect(await store.source('acme')).toEqual({ from: 'this run' });
    expect(store.used()).toEqual([]);
  });

  it('lists credentials masked, with their source', async () => {
    const store = storeOf({ endpoints: { acme }, env: { ACME_KEY: 'sk-1234567890abcdefgh' } });
    await store.store('beta', { kind: 'api-key', key: 'sk-beta-1234567890' });
    const listed = await store.list();
    expect(listed).toContainEqual({ provider: 'acme', kind: 'api-key', source: '$ACME_KEY', masked: 'sk-1…efgh' });
    expect(listed).toContainEqual({
      provider: 'beta',
      kind: 'api-key',
      source: 'stored (key file)',
      masked: 'sk-b…7890',
    });
    expect(JSON.stringify(listed)).not.toContain('567');
    expect(mask('short')).toBe('…');
  });
});

/** An authorization server on loopback, strict about PKCE and one-time codes. */
async function authServer() {
  const codes = new Map<string, { challenge: string; redirect: string }>();
  const refreshTokens = new Set<string>();
  const state = { refreshes: 0, failRefresh: false };
  const issue = () => {
    const refresh_token = `refresh-${refreshTokens.size}-${Math.random()}`;
    refreshTokens.add(refresh_token);
    return { access_token: `access-${Math.random()}`, refresh_token, expires_in: 3600, token_type: 'bearer' };
  };
  const server: Server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const reply = (status: number, value: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (url.pathname === '/authorize') {
      const redirect = new URL(url.searchParams.get('redirect_uri') ?? url.searchParams.get('callback_url') ?? '');
      const code = `code-${codes.size}`;
      codes.set(code, { challenge: url.searchParams.get('code_challenge') ?? '', redirect: redirect.href });
      redirect.searchParams.set('code', code);
      const given = url.searchParams.get('state');
      if (given) redirect.searchParams.set('state', given);
      return void response.writeHead(302, { location: redirect.href }).end();
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const fields =
      url.pathname === '/keys'
        ? new URLSearchParams(JSON.parse(body) as Record<string, string>)
        : new URLSearchParams(body);
    if (fields.get('grant_type') === 'refresh_token') {
      state.refreshes++;
      const token = fields.get('refresh_token') ?? '';
      // A refresh token works once, as with most providers.
      if (state.failRefresh || !refreshTokens.delete(token))
        return reply(400, { error: 'invalid_grant', error_description: 'token was revoked' });
      return reply(200, issue());
    }
    const known = codes.get(fields.get('code') ?? '');
    codes.delete(fields.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(fields.get('code_verifier') ?? '')
      .digest('base64url');
    if (!known || known.challenge !== challenge) return reply(400, { error: 'invalid_grant' });
    if (url.pathname === '/keys') return reply(200, { key: 'sk-or-fresh' });
    if (known.redirect !== fields.get('redirect_uri')) return reply(400, { error: 'redirect mismatch' });
    return reply(200, issue());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { base, state, close: () => (server.close(), server.closeAllConnections()) };
}

describe('logging in with the browser', () => {
  let server: Awaited<ReturnType<typeof authServer>>;
  beforeEach(async () => void (server = await authServer()));
  afterEach(() => server.close());
  const spec = () => ({
    authorizeUrl: `${server.base}/authorize`,
    tokenUrl: `${server.base}/token`,
    clientId: 'tenon',
    scopes: ['a', 'b'],
  });
  const browse = async (url: string) => void fetch(url).then((response) => response.text());
  const signal = () => new AbortController().signal;

  it('exchanges the code with the verifier and gets tokens', async () => {
    const credential = await login('acme', spec(), { show: browse, signal: signal() });
    expect(credential).toMatchObject({
      kind: 'oauth',
      access: expect.stringContaining('access-'),
      refresh: expect.any(String),
    });
    expect(credential.kind === 'oauth' && (credential.expiresAt ?? 0) > Date.now()).toBe(true);
  });

  it('knows the flow that ends with a key', async () => {
    const key = { style: 'key' as const, authorizeUrl: `${server.base}/authorize`, tokenUrl: `${server.base}/keys` };
    expect(await login('acme', key, { show: browse, signal: signal() })).toEqual({
      kind: 'api-key',
      key: 'sk-or-fresh',
    });
  });

  it('does not accept a code from someone who does not know the state', async () => {
    const controller = new AbortController();
    const show = async (url: string) => {
      const redirect = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
      redirect.searchParams.set('code', 'stolen');
      redirect.searchParams.set('state', 'guessed');
      expect((await fetch(redirect)).status).toBe(400);
      controller.abort(new Error('stop'));
    };
    await expect(login('acme', spec(), { show, signal: controller.signal })).rejects.toThrow('stop');
  });

  it('tells what the provider said when it refuses', async () => {
    const show = async (url: string) => {
      const asked = new URL(url).searchParams;
      const redirect = new URL(asked.get('redirect_uri') ?? '');
      redirect.searchParams.set('error', 'access_denied');
      redirect.searchParams.set('state', asked.get('state') ?? '');
      void fetch(redirect).then((response) => response.text());
    };
    await expect(login('acme', spec(), { show, signal: signal() })).rejects.toThrow(/access_denied/);
  });

  it('renews a token once, however many calls and processes need it', async () => {
    const endpoints = { acme: { name: 'Acme', api: 'x', oauth: spec() } };
    const first = await login('acme', spec(), { show: browse, signal: signal() });
    const [one, other] = [storeOf({ endpoints }), storeOf({ endpoints })];
    await one.store('acme', { ...(first as Extract<typeof first, { kind: 'oauth' }>), expiresAt: Date.now() + 1000 });
    const keys = await Promise.all([one.keys('acme'), one.keys('acme'), other.keys('acme'), other.keys('acme')]);
    expect(server.state.refreshes).toBe(1);
    expect(new Set(keys.map(([key]) => key)).size).toBe(1);
    expect(keys[0]?.[0]).not.toBe(first.kind === 'oauth' && first.access);
  });

  it('replaces a token that was refused before its time, once', async () => {
    const endpoints = { acme: { name: 'Acme', api: 'x', oauth: spec() } };
    const first = await login('acme', spec(), { show: browse, signal: signal() });
    const store = storeOf({ endpoints });
    await store.store('acme', first);
    const [refused = ''] = await store.keys('acme');
    expect(await store.renew('acme', refused)).toBe(true);
    const [fresh] = await store.keys('acme');
    expect(fresh).not.toBe(refused);
    // Whoever still has the old one gets what was renewed meanwhile, here or in another process.
    expect(await store.renew('acme', refused)).toBe(true);
    expect(await storeOf({ endpoints }).renew('acme', refused)).toBe(true);
    expect(await store.keys('acme')).toEqual([fresh]);
    expect(server.state.refreshes).toBe(1);
    await store.store('acme', { kind: 'api-key', key: 'plain' });
    expect(await store.renew('acme', 'plain')).toBe(false);
  });

  it('says to log in again when a token cannot be renewed', async () => {
    const store = storeOf({ endpoints: { acme: { name: 'Acme', api: 'x', oauth: spec() } } });
    await store.store('acme', { kind: 'oauth', access: 'a', refresh: 'gone', expiresAt: 1 });
    await expect(store.keys('acme')).rejects.toMatchObject({
      code: 'MODELS_LOGIN_EXPIRED',
      next: 'Run `tenon auth login acme` again.',
    });
    await expect(store.keys('acme')).rejects.toThrow(/token was revoked/);
  });
});

describe('the key file', () => {
  it('is made once, also by two at the same time', async () => {
    const path = join(folder, 'config', 'key');
    const keys = await Promise.all(Array.from({ length: 8 }, () => keyFile(path).create()));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  });

  it('is refused when it is damaged', async () => {
    const path = join(folder, 'key');
    await writeFile(path, 'dG9vIHNob3J0');
    await chmod(path, 0o600);
    await expect(keyFile(path).read()).rejects.toThrow(/9 bytes instead of 32/);
  });
});
