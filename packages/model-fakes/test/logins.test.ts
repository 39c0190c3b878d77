import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeLogins, startFakeLogins } from '../src/index.ts';

let fake: FakeLogins;
beforeAll(async () => void (fake = await startFakeLogins({ modelsUrl: 'http://127.0.0.1:9' })));
afterAll(() => fake.close());

const form = async (path: string, fields: Record<string, string>) => {
  const response = await fetch(fake.url + path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('the fake of a login in the browser', () => {
  const redirect_uri = 'http://localhost:1455/auth/callback';
  const client_id = 'app_EMoamEEZ73f0CkXaXp7hrann';
  const open = async (more: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: createHash('sha256').update('verifier').digest('base64url'),
      state: 's',
      ...more,
    });
    return fetch(`${fake.url}/openai/oauth/authorize?${query}`, { redirect: 'manual' });
  };
  const codeIn = (response: Response) => new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const redeem = (code: string, code_verifier: string) =>
    form('/openai/oauth/token', { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier });

  it('gives tokens for a code once, and only with the right verifier', async () => {
    expect((await redeem(codeIn(await open()), 'wrong')).body['error']).toBe('invalid_grant');
    const code = codeIn(await open());
    expect((await redeem(code, 'verifier')).body).toMatchObject({ access_token: expect.any(String), expires_in: 3600 });
    expect((await redeem(code, 'verifier')).body['error']).toBe('invalid_grant');
  });

  it('sends nobody to an address that is not registered, or for another client', async () => {
    expect((await open({ redirect_uri: 'http://localhost:9999/auth/callback' })).status).toBe(400);
    expect((await open({ client_id: 'other' })).status).toBe(401);
    expect((await open({ code_challenge_method: 'plain' })).status).toBe(400);
  });

  it('ends the login when a refresh token comes twice', async () => {
    const { body } = await redeem(codeIn(await open()), 'verifier');
    const renew = (token: unknown) =>
      form('/openai/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token: String(token) });
    const second = await renew(body['refresh_token']);
    expect(second.status).toBe(200);
    expect((await renew(body['refresh_token'])).body['error']).toBe('invalid_grant');
    expect((await renew(second.body['refresh_token'])).body['error']).toBe('invalid_grant');
  });
});

describe('the fake of a login with a code', () => {
  it('wants the pause that it named', async () => {
    const { body } = await form('/github/login/device/code', { client_id: 'Ov23-own-app' });
    const poll = () =>
      form('/github/login/oauth/access_token', {
        client_id: 'Ov23-own-app',
        device_code: String(body['device_code']),
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      });
    await poll();
    // Right after the first one: too early.
    expect((await poll()).body).toMatchObject({ error: 'slow_down', interval: expect.any(Number) });
  });
});
