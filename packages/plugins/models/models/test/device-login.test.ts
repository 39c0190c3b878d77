import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { deviceLogin, type DeviceRequest } from '../src/auth/device-login.ts';
import { login } from '../src/auth/oauth.ts';

const open: (() => void)[] = [];
afterEach(() => open.splice(0).forEach((close) => close()));

/** A server with a device flow: it gives the answers in their order to whoever asks for the token. */
async function flow(answers: readonly { status?: number; body: object }[], device: object = {}) {
  const asked: URLSearchParams[] = [];
  const queue = [...answers];
  const server = createServer(async (request, response) => {
    asked.push(new URLSearchParams(await readAll(request)));
    const isStart = request.url === '/device/code';
    const { port } = server.address() as AddressInfo;
    const start = {
      device_code: 'dc',
      user_code: 'ABCD-EFGH',
      verification_uri: `http://127.0.0.1:${port}/login/device`,
      expires_in: 60,
      interval: 1,
      ...device,
    };
    const { status = 200, body } = isStart ? { body: start } : (queue.shift() ?? { status: 500, body: {} });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const spec = {
    style: 'device' as const,
    authorizeUrl: `${url}/device/code`,
    tokenUrl: `${url}/token`,
    clientId: 'tenon-test',
    scopes: ['read:user', 'models'],
  };
  return { asked, spec };
}

const signal = new AbortController().signal;
const pending = (times: number) => Array.from({ length: times }, () => ({ body: { error: 'authorization_pending' } }));
const shown: DeviceRequest[] = [];
const options = { show: async (request: DeviceRequest) => void shown.push(request), signal, secondMs: 1 };

describe('a login with a code', () => {
  it('shows the code, waits as long as the server wants, and gives what it ends with', async () => {
    const { asked, spec } = await flow([
      { status: 400, body: { error: 'authorization_pending' } },
      // GitHub tells errors with status 200.
      { body: { error: 'slow_down', interval: 3 } },
      { body: { error: 'authorization_pending' } },
      { body: { access_token: 'at', refresh_token: 'rt', expires_in: 3600 } },
    ]);
    const credential = await deviceLogin(spec, options);
    expect(credential).toMatchObject({ kind: 'oauth', access: 'at', refresh: 'rt', expiresAt: expect.any(Number) });
    expect(shown.at(-1)).toEqual({ url: expect.stringContaining('/login/device'), code: 'ABCD-EFGH' });
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({ client_id: 'tenon-test', scope: 'read:user models' });
    expect(Object.fromEntries(asked.at(-1) ?? [])).toEqual({
      client_id: 'tenon-test',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'dc',
    });
    expect(asked).toHaveLength(5);
  });

  it.each([
    ['a refusal', [{ status: 400, body: { error: 'access_denied' } }], {}, /access_denied/],
    ['an expired code', [{ body: { error: 'expired_token' } }], {}, /expired_token/],
    ['a client that is not known', [], { error: 'unauthorized_client' }, /unauthorized_client/],
    ['a code that nobody enters', pending(9), { expires_in: 3 }, /not entered in time/],
    ['an answer without a code', [], { user_code: 7 }, /no code/],
    ['an address that is not safe', [], { verification_uri: 'javascript:alert(1)' }, /not a safe address/],
    ['a token that is none', [{ body: { token: 'x' } }], {}, /no token/],
  ])('ends with %s', async (_title, answers, device, reason) => {
    const { spec } = await flow(answers as { body: object }[], device);
    await expect(deviceLogin(spec, options)).rejects.toThrow(reason);
  });

  it('is what `auth login` does for such a provider, with an error that says what to do', async () => {
    const { spec } = await flow([{ status: 400, body: { error: 'access_denied' } }]);
    const codes: (string | undefined)[] = [];
    const show = async (_url: string, code?: string) => void codes.push(code);
    await expect(login('acme', spec, { show, signal })).rejects.toMatchObject({
      code: 'MODELS_LOGIN_DENIED',
      next: 'Allow it in the browser: run `tenon auth login acme` again.',
    });
    expect(codes).toEqual(['ABCD-EFGH']);
  });

  it('ends when the user stops it', async () => {
    const { spec } = await flow(pending(9));
    const controller = new AbortController();
    const show = async () => controller.abort(new Error('stop'));
    await expect(login('acme', spec, { show, signal: controller.signal })).rejects.toThrow('stop');
  });
});
