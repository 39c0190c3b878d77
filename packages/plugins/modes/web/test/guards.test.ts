import { request } from 'node:http';
import { connect } from 'node:net';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { statSync, chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSchemaCompiler } from '@tenon/kernel';
import { beforeAll, describe, expect, test } from 'vitest';
import { ApiClient, routes } from '../src/api.ts';
import { runWeb } from '../src/command.ts';
import { openControlRoom, type RoomParts } from '../src/control-room.ts';
import { pageFiles } from '../src/server/page-files.ts';
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

async function openRoom(names: readonly string[] = [], more: Partial<RoomParts> = {}) {
  const options = { address: '127.0.0.1', port: 0, token: TOKEN, names };
  const room = await openControlRoom({ ...emptyParts(temporaryFolder('web')), ...more }, options);
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

/** Bytes as they are written here; gives all that comes back until the server closes or is silent. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setTimeout(400, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}

const head = (target: string, port: number) =>
  `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
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
    // Refused by what it says of itself, before it is read.
    const large = `POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n`;
    expect(await raw(port, large)).toContain(' 413 ');
    expect((await ask(port, '/api/sessions/nope', { headers: bearer(TOKEN) })).status).toBe(404);
  });

  test('only the files of the page are given, whatever the path is called', async () => {
    const folder = temporaryFolder('web');
    for (const name of ['index.html', 'app.js', 'secret.txt']) writeFileSync(join(folder, name), `this is ${name}`);
    const faults: unknown[] = [];
    const log = { warn: () => undefined, error: (text: unknown) => void faults.push(text) };
    const { port } = await openRoom([], { page: pageFiles(folder), log: log as unknown as RoomParts['log'] });
    const names = ['constructor', 'toString', '__proto__', 'secret.txt', '..%2fsecret.txt', '%2e%2e/secret.txt'];
    for (const name of [...names, '/etc/passwd', '../../etc/passwd', 'app.js%00', 'app.js/..%5c', '%', '%ff'])
      expect([name, (await raw(port, head(`/${name}`, port))).split('\r\n\r\n')[1]]).toEqual([
        name,
        'this is index.html',
      ]);
    expect(faults).toEqual([]);
    expect((await ask(port, '/app.js')).headers['content-type']).toContain('javascript');
  });

  test('other methods, upgrades, strange targets and requests within requests lead nowhere', async () => {
    const { port } = await openRoom();
    const first = (text: string) => text.split('\r\n', 1)[0];
    for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])
      expect([method, (await ask(port, '/api/events', { method, headers: bearer(TOKEN) })).status]).toEqual([
        method,
        405,
      ]);
    const secret = `Authorization: Bearer ${TOKEN}\r\n`;
    const host = `Host: 127.0.0.1:${port}\r\n`;
    const two = await raw(port, `GET /api/overview HTTP/1.1\r\n${host}Host: evil.example\r\n${secret}\r\n`);
    expect(first(two)).toMatch(/ (?:400|421) /);
    const absolute = `GET http://evil.example/api/overview HTTP/1.1\r\nHost: evil.example\r\n${secret}\r\n`;
    expect(first(await raw(port, absolute))).toMatch(/ (?:400|421) /);
    const socket = `GET /api/events HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: http://evil.example\r\n${secret}\r\n`;
    expect(first(await raw(port, socket))).toContain(' 403 ');
    const inner = `GET /api/overview HTTP/1.1\r\n${host}${secret}\r\n`;
    const hidden = await raw(port, `POST /api/runs HTTP/1.1\r\n${host}Content-Length: ${inner.length}\r\n\r\n${inner}`);
    expect(hidden).not.toContain('1.2.3');
    const both = `POST /api/runs HTTP/1.1\r\n${host}${secret}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`;
    expect(await raw(port, both)).not.toContain('1.2.3');
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
