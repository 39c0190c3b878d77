/** Vertex AI as whoever is logged in on this machine, with a server that gives tokens as Google's do. */
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProvider } from '../src/protocols.ts';
import { collect, modelOf, requestOf } from './harness.ts';

let folder: string;
let fake: FakeModels;
let tokens: Server;
let url: string;
let asked: Record<string, string>[];
let metadata: Record<string, unknown>[];
let refusal: string | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-google-'));
  fake = await startFakeModels();
  [asked, metadata, refusal] = [[], [], undefined];
  tokens = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === 'GET') metadata.push({ path: request.url, flavor: request.headers['metadata-flavor'] });
      else asked.push(Object.fromEntries(new URLSearchParams(body)));
      const given = { access_token: `token-${asked.length + metadata.length}`, expires_in: 3600, token_type: 'Bearer' };
      response.writeHead(refusal === undefined ? 200 : 400).end(refusal ?? JSON.stringify(given));
    });
  }).listen(0, '127.0.0.1');
  await once(tokens, 'listening');
  url = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`;
  for (const name of Object.keys(process.env))
    if (/^(?:GOOGLE|GCLOUD|GCE|CLOUDSDK)_/.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv('CLOUDSDK_CONFIG', folder);
  vi.stubEnv('GCE_METADATA_HOST', '127.0.0.1:9');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  tokens.close();
  tokens.closeAllConnections();
  await fake.close();
  rmSync(folder, { recursive: true });
});

const put = (name: string, content: object) => {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
};

/** A call without a key, to an address of one's own unless it is that for keys. */
async function call(baseUrl = `${fake.url}/v1/projects/p/locations/l/publishers/google`, apiKey?: string) {
  fake.reply({ content: [{ type: 'text', text: 'from Vertex' }] });
  const model = modelOf('google-generative-ai', fake, { api: 'google-vertex', baseUrl });
  const request = { ...requestOf(model), apiKey };
  const { message } = await collect(createProvider('google-vertex', { stallMs: 5_000 }), request as never);
  const { headers, path } = fake.requests.at(-1) ?? {};
  return { said: message.content, error: message.errorMessage, headers, path };
}

describe('Vertex AI', () => {
  it('is called with the token of a service account, which is kept while it holds', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const account = {
      type: 'service_account',
      client_email: 'agent@p.example',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: url,
    };
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', put('account.json', account));
    const first = await call();
    expect(first.said).toMatchObject([{ text: 'from Vertex' }]);
    expect(first.headers).toMatchObject({ authorization: 'Bearer token-1' });
    expect(first.headers).not.toHaveProperty('x-goog-api-key');
    expect((await call()).headers).toMatchObject({ authorization: 'Bearer token-1' });
    expect(asked).toHaveLength(1);
    const [head = '', claims = '', signature = ''] = asked[0]?.['assertion']?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: 'agent@p.example', aud: url });
    const verified = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url');
    expect(verified).toBe(true);
  });

  it('is called as who logged in with gcloud, and a refused login says why', async () => {
    const login = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r', token_uri: url };
    put('application_default_credentials.json', login);
    expect((await call()).headers).toMatchObject({ authorization: 'Bearer token-1' });
    expect(asked).toEqual([{ grant_type: 'refresh_token', client_id: 'c', client_secret: 's', refresh_token: 'r' }]);
    refusal = '{"error":"invalid_grant","error_description":"Token has been revoked."}';
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', put('other.json', login));
    expect((await call()).error).toMatch(/answered 400: Token has been revoked\.$/);
  });

  it('is called with the token of the machine where there is no file', async () => {
    vi.stubEnv('GCE_METADATA_HOST', new URL(url).host);
    expect((await call()).headers).toMatchObject({ authorization: 'Bearer token-1' });
    expect(metadata).toEqual([
      { path: '/computeMetadata/v1/instance/service-accounts/default/token', flavor: 'Google' },
    ]);
  });

  it('needs a file that is named, an address that is encrypted, a project and a location', async () => {
    expect((await call()).error).toContain('this is no machine of Google Cloud');
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', join(folder, 'absent.json'));
    expect((await call()).error).toContain('absent.json');
    const login = { type: 'authorized_user', refresh_token: 'r', token_uri: 'http://tokens.invalid/' };
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', put('plain.json', login));
    expect((await call()).error).toContain('not https');
    const forKeys = 'https://aiplatform.googleapis.com/v1/publishers/google';
    expect((await call(forKeys)).error).toContain('GOOGLE_CLOUD_PROJECT is not set');
    vi.stubEnv('GCLOUD_PROJECT', 'p');
    expect((await call(forKeys)).error).toContain('GOOGLE_CLOUD_LOCATION is not set');
    vi.stubEnv('GOOGLE_CLOUD_LOCATION', 'evil.example/x');
    expect((await call(forKeys)).error).toContain('GOOGLE_CLOUD_LOCATION is not set, or is no name');
  });

  it('is called with a key where there is one', async () => {
    const { headers } = await call(undefined, 'the-key');
    expect(headers).toMatchObject({ 'x-goog-api-key': 'the-key' });
    expect(headers).not.toHaveProperty('authorization');
  });
});
