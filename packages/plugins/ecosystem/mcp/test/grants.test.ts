import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { world } from '@tenon/test-kit/mcp-world';
import { describe, expect, it } from 'vitest';
import { LoginProvider } from '../src/oauth/oauth-provider.ts';
import { LoginStore, memoryKeeper } from '../src/oauth/login-store.ts';
import { granting, keyPair } from './servers/granting.ts';
import { textOf } from './servers/programs.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** A whole Tenon with one server of this configuration, after it has tried to reach it. */
async function using(url: string, oauth: object) {
  const w = await world({ user: { far: { type: 'http', url, oauth } } });
  await w.settle();
  const [server] = await (await w.hub()).servers(w.cwd);
  return { w, server, who: async () => textOf(await w.call('mcp__far__who')) };
}

describe('a program that logs in as itself', () => {
  it('sends its secret, which a command may print, and gets a new token when the old one has ended', async () => {
    const server = await granting({ secret: 'hush' });
    const oauth = { grantType: 'client_credentials', clientId: 'client', clientSecret: '!echo hush' };
    const { who } = await using(server.url, oauth);
    expect(await who()).toBe('a known program');
    server.access.clear();
    expect(await who()).toBe('a known program');
    expect(server.forms.map((form) => form['grant_type'])).toEqual(['client_credentials', 'client_credentials']);
  });

  it.each(['ec', 'rsa'] as const)('signs who it is with a key (%s), and sends no secret', async (kind) => {
    const { privateKey, publicKey } = keyPair(kind);
    const file = join(temporaryFolder(), 'key.pem');
    writeFileSync(file, privateKey, { mode: 0o600 });
    const server = await granting({ publicKey });
    const oauth = { grantType: 'client_credentials', clientId: 'client', privateKey: `!cat ${file}` };
    const { who } = await using(server.url, oauth);
    expect(await who()).toBe('a known program');
    expect(server.forms).toEqual([
      expect.objectContaining({
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }),
    ]);
    expect(JSON.stringify(server.forms)).not.toContain('client_secret');
  });

  it('is told when its key is not the one that is known, and is not sent to a page', async () => {
    const server = await granting({ publicKey: keyPair('ec').publicKey });
    const oauth = { grantType: 'client_credentials', clientId: 'client', privateKey: keyPair('ec').privateKey };
    const { server: shown, w } = await using(server.url, oauth);
    expect(shown).toMatchObject({ state: 'failed', problem: expect.stringContaining('unknown client') });
    expect(shown?.problem).not.toContain('mcp login');
    await expect(w.command('mcp login', { args: { name: 'far' } })).rejects.toMatchObject({
      code: 'MCP_LOGIN_AUTOMATIC',
    });
  });

  it.each([
    [{ clientId: 'client' }, 'needs a clientSecret or a privateKey'],
    [{ clientSecret: 'x' }, 'needs a clientId'],
    [{ clientId: 'client', privateKey: 'no key' }, 'privateKey: '],
    [{ clientId: 'client', clientSecret: 'x', grantType: 'id-jag' }, 'needs idp'],
  ])('is told what its configuration lacks: %j', async (oauth, problem) => {
    const server = await granting({});
    const { server: shown } = await using(server.url, { grantType: 'client_credentials', ...oauth });
    expect(shown?.problem).toContain(problem);
    expect(server.forms).toEqual([]);
  });

  it('gives its credentials to no other authorization server than the one it names', async () => {
    const server = await granting({ secret: 'hush' });
    const oauth = { grantType: 'client_credentials', clientId: 'client', clientSecret: 'hush' };
    const elsewhere = await using(server.url, { ...oauth, issuer: 'https://login.example.com' });
    expect(elsewhere.server?.state).not.toBe('ready');
    expect(server.forms).toEqual([]);
    const right = await using(server.url, { ...oauth, issuer: server.issuer });
    expect(await right.who()).toBe('a known program');
  });
});

describe('a program that its platform vouches for', () => {
  it('sends what the platform says, which is read anew each time, and no secret', async () => {
    const server = await granting({ assertion: 'it runs here' });
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, 'something old');
    const oauth = { grantType: 'jwt-bearer', clientId: 'client', assertion: `!cat ${file}`, scopes: 'read' };
    const { server: shown, w, who } = await using(server.url, oauth);
    expect(shown?.state).toBe('failed');
    // No other way in is tried.
    expect(new Set(server.forms.map((form) => form['grant_type']))).toEqual(new Set([JWT_BEARER]));
    writeFileSync(file, 'it runs here');
    await (await w.hub()).reconnect(w.cwd, 'far');
    expect(await who()).toBe('a known program');
    expect(server.forms.at(-1)).toMatchObject({ client_id: 'client', assertion: 'it runs here', scope: 'read' });
    expect(JSON.stringify(server.forms)).not.toContain('client_secret');
  });

  it.each([
    [{ clientId: 'client' }, 'needs an assertion'],
    [{ assertion: 'x' }, 'needs a clientId'],
  ])('is told what its configuration lacks: %j', async (oauth, problem) => {
    const server = await granting({ assertion: 'it runs here' });
    const { server: shown } = await using(server.url, { grantType: 'jwt-bearer', ...oauth });
    expect(shown?.problem).toContain(problem);
    expect(server.forms).toEqual([]);
  });
});

describe('tokens that are bound to a key', () => {
  it('come with a signature of each request, and are of no use without', async () => {
    const server = await granting({ secret: 'hush', isBound: true });
    const oauth = { grantType: 'client_credentials', clientId: 'client', clientSecret: 'hush' };
    const plain = await using(server.url, oauth);
    expect(plain.server?.state).toBe('failed');
    const { who } = await using(server.url, { ...oauth, dpop: true });
    expect(await who()).toBe('a known program');
    expect(await who()).toBe('a known program');
  });

  it('have one key for all processes of a login, which stays when the tokens go', async () => {
    const kept = memoryKeeper();
    const provider = (dpop: boolean) =>
      new LoginProvider({
        store: new LoginStore(async () => kept, 'far', 'https://far.example.com/mcp'),
        config: { dpop },
        redirectUrl: 'http://127.0.0.1/callback',
        redirect: async () => undefined,
      });
    expect(await provider(false).dpop()).toBeUndefined();
    const [one, other] = await Promise.all([provider(true).dpop(), provider(true).dpop()]);
    expect(one?.thumbprint).toBe(other?.thumbprint);
    await provider(true).invalidateCredentials('all');
    const later = await provider(true).dpop();
    expect(later?.thumbprint).toBe(one?.thumbprint);
    expect(later?.publicJwk).not.toHaveProperty('d');
    const proof = await later?.buildProof({ htm: 'POST', htu: 'https://far.example.com/mcp?x=1', accessToken: 'y' });
    const [, body = ''] = proof?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toMatchObject({ htu: 'https://far.example.com/mcp' });
  });
});

describe('a person whose company vouches for them', () => {
  it('gets in with what the identity provider says about them, for this server only', async () => {
    const server = await granting({ secret: 'hush', idToken: 'it is me' });
    const idp = { issuer: server.idp, clientId: 'tenon-at-work', idToken: '!echo it is me' };
    const oauth = { grantType: 'id-jag', clientId: 'client', clientSecret: 'hush', idp };
    const { who, server: shown } = await using(server.url, oauth);
    expect(shown?.problem).toBeUndefined();
    expect(await who()).toBe('a known program');
    const named = { ...oauth, idp: { ...idp, issuer: 'https://id.example.com', tokenEndpoint: `${server.idp}/token` } };
    expect(await (await using(server.url, named)).who()).toBe('a known program');
    expect(new Set(server.grants.values())).toEqual(new Set([`${server.issuer} ${server.url}`]));
  });

  it('is told what the identity provider has against it', async () => {
    const server = await granting({ secret: 'hush', idToken: 'it is me' });
    const idp = { issuer: server.idp, clientId: 'tenon-at-work', idToken: 'an old one' };
    const oauth = { grantType: 'id-jag', clientId: 'client', clientSecret: 'hush', idp };
    const { server: shown } = await using(server.url, oauth);
    expect(shown).toMatchObject({ state: 'failed', problem: expect.stringContaining('who is that?') });
    expect(server.forms).toEqual([]);
  });
});
