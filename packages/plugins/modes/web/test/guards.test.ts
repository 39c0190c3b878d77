import { request } from 'node:http';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { statSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { loadSchemaCompiler } from '@tenon/kernel';
import { beforeAll, describe, expect, test } from 'vitest';
import { ApiClient, routes } from '../src/api.ts';
import { runWeb } from '../src/command.ts';
import { openControlRoom, type RoomParts } from '../src/control-room.ts';
import { takeToken } from '../src/server/token.ts';

const TOKEN = 'a'.repeat(43);

beforeAll(() => loadSchemaCompiler());

/** A room without sessions, runs and page. */
function emptyParts(folder: string): RoomParts {
  const none = () => Promise.reject(new Error('not part of this test'));
  const silent = () => undefined;
  return {
    folders: { cwd: folder, home: folder },
    sessions: { list: async () => [], open: none } as unknown as RoomParts['sessions'],
    runs: async () => ({ list: async () => [] }) as unknown as Awaited<ReturnType<RoomParts['runs']>>,
    worktrees: async () => undefined,
    accounts: async () => undefined,
    program: ['false'],
    env: {},
    version: '1.2.3',
    log: { debug: silent, info: silent, warn: silent, error: silent } as unknown as RoomParts['log'],
  };
}

async function openRoom(names: readonly string[] = []) {
  const options = { address: '127.0.0.1', port: 0, token: TOKEN, names };
  const room = await openControlRoom(emptyParts(temporaryFolder('web')), options);
  later(() => room.close());
  return room;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as it is written here: `fetch` does not let one choose Host and Origin. */
function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('who may use the server', () => {
  test('every route, stream and the description of the API need the token', async () => {
    const { port } = await openRoom();
    const paths = Object.values(routes).map(
      ({ at: [method, path] }) => [method, path.replaceAll(/:\w+/g, 'x')] as const,
    );
    const streams = ['/api/events', '/api/sessions/x/events', '/api/runs/x/events', '/api/openapi.json', '/api/none'];
    for (const [method, path] of [...paths, ...streams.map((path) => ['GET', path] as const)]) {
      const { status } = await ask(port, path, { method });
      expect([path, [401, 429].includes(status)]).toEqual([path, true]);
    }
    expect((await ask(port, '/api/overview', { headers: bearer(TOKEN) })).status).toBe(200);
    const fresh = await openRoom();
    const headers = [
      bearer(`${TOKEN}a`),
      bearer(TOKEN.slice(1)),
      { authorization: TOKEN },
      { cookie: `token=${TOKEN}` },
    ];
    for (const wrong of headers) expect((await ask(fresh.port, '/api/overview', { headers: wrong })).status).toBe(401);
    expect((await ask(fresh.port, `/api/overview?token=${TOKEN}`)).status).toBe(401);
  });

  test('wrong tokens have to wait after a while, the right one never', async () => {
    const { port } = await openRoom();
    const statuses: number[] = [];
    for (let count = 0; count < 25; count += 1)
      statuses.push((await ask(port, '/api/overview', { headers: bearer('no') })).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
    expect((await ask(port, '/api/overview', { headers: bearer(TOKEN) })).status).toBe(200);
  });

  test('other names for the server are refused, so that a page cannot rebind its own', async () => {
    const { port } = await openRoom(['box.example']);
    const status = async (host: string) => (await ask(port, '/', { headers: { host } })).status;
    for (const host of [
      `evil.example:${port}`,
      'evil.example',
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `localhost.evil:${port}`,
    ])
      expect([host, await status(host)]).toEqual([host, 421]);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `box.example:${port}`])
      expect([host, await status(host)]).toEqual([host, 503]);
  });

  test('pages of other sites get nothing, also with the token', async () => {
    const { port } = await openRoom();
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await ask(port, '/api/overview', { headers: { ...bearer(TOKEN), ...headers } })).status;
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ origin: `https://127.0.0.1:${port}` })).toBe(403);
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    // Another server of this machine is the same site, and still a stranger.
    expect(await status({ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' })).toBe(403);
    expect(await status({ origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' })).toBe(200);
    const { headers } = await ask(port, '/api/overview', { headers: bearer(TOKEN) });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(String(headers['content-security-policy'])).not.toContain('unsafe');
    const preflight = await ask(port, '/api/overview', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example' },
    });
    expect(preflight.status).toBe(403);
  });

  test('what is not valid is told with what to do, and a body must say that it is JSON', async () => {
    const { port } = await openRoom();
    const post = (body: string, type = 'application/json') =>
      ask(port, '/api/runs', { method: 'POST', body, headers: { ...bearer(TOKEN), 'content-type': type } });
    for (const body of ['{', '[]', '{}', '{"task":""}', '{"task":"x","cwd":"/","more":1}']) {
      const { status, text } = await post(body);
      expect([body, status, JSON.parse(text)]).toMatchObject([body, 400, { error: { code: 'WEB_INVALID' } }]);
    }
    expect((await post('task=x&cwd=/', 'text/plain')).status).toBe(400);
    expect((await ask(port, '/api/sessions/nope', { headers: bearer(TOKEN) })).status).toBe(404);
  });

  test('without its files the page says how they are built', async () => {
    const { port } = await openRoom();
    const { status, text } = await ask(port, '/sessions/1', { headers: { host: `127.0.0.1:${port}` } });
    expect([status, text]).toEqual([503, expect.stringContaining('npm run setup')]);
  });
});

test('the client reads the description of the API, which names every route', async () => {
  const { port, origin } = await openRoom();
  const client = new ApiClient({ base: origin, token: TOKEN });
  expect(await client.call('overview', {})).toMatchObject({ version: '1.2.3', openSessions: 0 });
  const { text } = await ask(port, '/api/openapi.json', { headers: bearer(TOKEN) });
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { operationId: string }>> };
  const named = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(named).toEqual(expect.arrayContaining([...Object.keys(routes), 'events', 'sessionEvents', 'runEvents']));
});

test('the token is kept for the user alone, and a file that others can read is refused', async () => {
  const folder = temporaryFolder('web');
  const token = await takeToken(folder, false);
  expect(await takeToken(folder, false)).toBe(token);
  const file = join(folder, 'web-secret');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o644);
  await expect(takeToken(folder, false)).rejects.toMatchObject({ code: 'WEB_TOKEN_FILE' });
  expect(await takeToken(folder, true)).not.toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('beyond loopback it wants TLS or an explicit word; bad flags are told', async () => {
  const folder = temporaryFolder('web');
  const run = (flags: Readonly<Record<string, string | boolean>>) => {
    const call = {
      flags: { port: '0', listen: '127.0.0.1', ...flags },
      args: {},
      cwd: folder,
      signal: AbortSignal.abort(),
    };
    const io = { out: async () => undefined, err: async () => undefined, json: async () => undefined };
    return runWeb({ ...call, io } as unknown as Parameters<typeof runWeb>[0], { ...emptyParts(folder), state: folder });
  };
  await expect(run({ listen: '0.0.0.0' })).rejects.toMatchObject({ code: 'WEB_NEEDS_TLS' });
  await expect(run({ listen: '0.0.0.0', insecure: true })).resolves.toBeUndefined();
  await expect(run({ 'tls-cert': 'x' })).rejects.toMatchObject({ code: 'WEB_TLS_HALF' });
  await expect(run({ port: '99999' })).rejects.toMatchObject({ code: 'WEB_PORT' });
  await expect(run({ port: 'x' })).rejects.toMatchObject({ code: 'WEB_PORT' });
});
