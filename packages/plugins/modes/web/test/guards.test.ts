import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import type { RunRequest } from '@tenon/runs/api';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ApiClient, routes } from '../src/api.ts';
import { runWeb } from '../src/command.ts';
import { openControlRoom, type RoomParts } from '../src/control-room.ts';
import { pageFiles } from '../src/server/page-files.ts';
import { takeToken, tokenIn } from '../src/server/token.ts';

const TOKEN = 'a'.repeat(43);

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
    approvals: async () => undefined,
    workflows: async () => undefined,
    fleet: async () => undefined,
    settings: { list: async () => [] },
    ledger: { read: () => none() as never },
    program: ['false'],
    env: {},
    version: '1.2.3',
    log: { debug: silent, info: silent, warn: silent, error: silent } as unknown as RoomParts['log'],
  };
}

async function openRoom(names: readonly string[] = [], more: Partial<RoomParts> = {}, token = () => TOKEN) {
  const options = { address: '127.0.0.1', port: 0, token, names };
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
      response
        .on('error', reject)
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
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
    const streams = [
      '/api/follow',
      '/api/events',
      '/api/sessions/x/events',
      '/api/runs/x/events',
      '/api/openapi.json',
      '/api/none',
    ];
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

  test('an address of the API that does not exist is no page, whatever the method', async () => {
    const page = { answer: () => new Response('the page') };
    const { port } = await openRoom([], { page });
    for (const path of ['/api/none', '/api/runs/x/cancel', '/api/questions/__proto__/answer', '/api/']) {
      const { status, text } = await ask(port, path, { headers: bearer(TOKEN) });
      expect([path, status, text]).toEqual([path, 404, expect.stringContaining('WEB_NOT_FOUND')]);
    }
    expect((await ask(port, '/apiary', { headers: bearer(TOKEN) })).text).toBe('the page');
  });

  test('a run is told from its beginning when the place to go on from is none', async () => {
    const after: (number | undefined)[] = [];
    const runs = async () => ({
      list: async () => [],
      find: async (id: string) => ({ id }),
      async *follow(_run: unknown, options: { readonly after?: number }) {
        after.push(options.after);
        yield* [];
      },
    });
    const { port } = await openRoom([], { runs } as unknown as Partial<RoomParts>);
    for (const place of ['7', '-1', '99999999999999999999', '1.5', '0x10', '1e3', 'NaN', 'a.7', ' '])
      await ask(port, '/api/runs/r/events', { headers: { ...bearer(TOKEN), 'last-event-id': place } });
    expect(after).toEqual([7, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  test('a stream whose source fails is noted in the log, and nothing is written to the terminal', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const warned: string[] = [];
    const log = { ...emptyParts('').log, warn: (text: string) => void warned.push(text) };
    const runs = async () => ({
      list: async () => [],
      find: async (id: string) => ({ id }),
      async *follow() {
        yield* [];
        throw new Error('the database is away');
      },
    });
    const { port } = await openRoom([], { runs, log } as unknown as Partial<RoomParts>);
    await ask(port, '/api/runs/r/events', { headers: bearer(TOKEN) });
    expect(warned).toEqual([expect.stringContaining('the database is away')]);
    expect(said).not.toHaveBeenCalled();
    said.mockRestore();
  });

  test('without its files the page says how they are built', async () => {
    const { port } = await openRoom();
    const { status, text } = await ask(port, '/sessions/1', { headers: { host: `127.0.0.1:${port}` } });
    expect([status, text]).toEqual([503, expect.stringContaining('npm run setup')]);
    // A build that was cut off has left only some of them.
    const folder = temporaryFolder('web');
    writeFileSync(join(folder, 'index.html'), 'half');
    const half = await openRoom([], { page: pageFiles(folder) });
    const answer = await ask(half.port, '/app.js', { headers: { host: `127.0.0.1:${half.port}` } });
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('npm run setup')]);
    expect(answer.text).not.toContain(folder);
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

test('a new token reaches a server that runs: old ones are refused, and streams that were opened with them break', async () => {
  const folder = temporaryFolder('web');
  const first = await takeToken(folder, false);
  const room = await openRoom([], {}, tokenIn(folder));
  const status = async (token: string) => (await ask(room.port, '/api/overview', { headers: bearer(token) })).status;
  expect(await status(first)).toBe(200);
  const stream = await fetch(`${room.origin}/api/events`, { headers: bearer(first) });
  const reader = stream.body?.getReader();
  await reader?.read();
  const second = await takeToken(folder, true);
  expect([await status(first), await status(second)]).toEqual([401, 200]);
  // A client comes back by itself, and is told.
  const client = new ApiClient({ base: room.origin, token: first });
  await expect(client.follow('/api/events', { signal: AbortSignal.timeout(60_000) }).next()).rejects.toMatchObject({
    status: 401,
  });
  rmSync(join(folder, 'web-secret'));
  expect([await status(second), await status('')]).toEqual([401, 401]);
  writeFileSync(join(folder, 'web-secret'), second, { mode: 0o600 });
  expect(await status(second)).toBe(200);
  chmodSync(join(folder, 'web-secret'), 0o644);
  expect(await status(second)).toBe(401);
  await reader?.cancel();
});

test('a stream carries nothing any more once the token is another one', async () => {
  let token = TOKEN;
  const list = [{ id: 'a', at: 0 }];
  const runs = async () => ({ list: async () => list }) as unknown as Awaited<ReturnType<RoomParts['runs']>>;
  const room = await openRoom([], { runs }, () => token);
  const stream = await fetch(`${room.origin}/api/events`, { headers: bearer(TOKEN) });
  const reader = stream.body?.getReader();
  let seen = '';
  const read = (async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      seen += Buffer.from(part.value).toString();
  })();
  list[0] = { id: 'a', at: 1 };
  list.push({ id: 'b', at: 0 });
  // The first look only learns what is there; the next sees the change.
  await until(() => {
    list[0] = { id: 'a', at: Date.now() };
    return seen.includes('"id":"a"');
  });
  token = 'b'.repeat(43);
  list.push({ id: 'hidden', at: 0 });
  await read;
  expect(seen).not.toContain('hidden');
  // Not told as an end: a client that is not told so comes back, and is refused.
  expect(seen).not.toContain('event: over');
});

test('nothing that a run is asked for over HTTP weakens its sandbox, names programs or reads files', async () => {
  const asked: unknown[] = [];
  const start = async (request: unknown) => {
    asked.push(request);
    return { id: 'r' };
  };
  const runs = async () => ({ list: async () => [], start }) as unknown as Awaited<ReturnType<RoomParts['runs']>>;
  const folder = temporaryFolder('web');
  const { port } = await openRoom([], { runs, folders: { cwd: folder, home: folder } });
  const post = async (body: unknown, path = '/api/runs') => {
    const headers = { ...bearer(TOKEN), 'content-type': 'application/json' };
    return (await ask(port, path, { method: 'POST', body: JSON.stringify(body), headers })).status;
  };
  const others: Partial<Record<keyof RunRequest, unknown>> = {
    mode: 'plan',
    systemPrompt: 'x',
    options: {},
    extraArgs: ['--dangerously-skip-permissions'],
    env: { PATH: '/tmp' },
    sandbox: 'off',
    schema: {},
    inputs: { 'a/../../b': 'x' },
    context: ['/etc'],
    timeoutMs: 1,
    idleTimeoutMs: 1,
    maxOutputBytes: 1,
    account: 'x',
    offerTools: true,
    interactive: true,
    key: 'x',
  };
  for (const [name, value] of Object.entries({ ...others, __proto__x: 1, constructor: 1 }))
    expect([name, await post({ task: 'x', [name]: value })]).toEqual([name, 400]);
  for (const model of ['--yolo', '-m', '', ' x', 'a b', 'a\nb', 'x'.repeat(300)]) {
    expect([model, await post({ task: 'x', model })]).toEqual([model, 400]);
    expect([model, await post({ model }, '/api/sessions')]).toEqual([model, 400]);
  }
  for (const worker of ['../x', '/bin/sh', '--help x', 'a b', ''])
    expect([worker, await post({ task: 'x', worker })]).toEqual([worker, 400]);
  for (const cwd of ['.', '../..', 'relative', '', '/none/of/that', '/dev/null', 'file:///tmp', '~'])
    expect([cwd, await post({ task: 'x', cwd })]).toEqual([cwd, 400]);
  expect(asked).toEqual([]);
  const plain = { task: 'x', worker: 'claude', model: 'anthropic/big-1.5:high', worktree: true, validate: false };
  expect(await post(plain)).toBe(200);
  expect(asked).toEqual([{ ...plain, cwd: folder }]);
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
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const files = { 'tls-cert': cert, 'tls-key': key };
  await expect(run(files)).rejects.toMatchObject({ code: 'WEB_TLS_FILES' });
  writeFileSync(cert, 'none');
  writeFileSync(key, 'none');
  await expect(run(files)).rejects.toMatchObject({ code: 'WEB_TLS_FILES' });
  await expect(run({ port: '99999' })).rejects.toMatchObject({ code: 'WEB_PORT' });
  await expect(run({ port: 'x' })).rejects.toMatchObject({ code: 'WEB_PORT' });
});

test('a second server on the same port is the first one: its link is printed, with the token as it is now', async () => {
  const folder = temporaryFolder('web');
  const said: Record<string, unknown>[] = [];
  const start = (port: string, signal: AbortSignal, isNew = false) => {
    const flags = { port, listen: '127.0.0.1', json: true, 'new-token': isNew };
    const io = { out: async () => undefined, json: async (value: Record<string, unknown>) => void said.push(value) };
    const call = { flags, args: {}, cwd: folder, signal, io };
    return runWeb(call as unknown as Parameters<typeof runWeb>[0], { ...emptyParts(folder), state: folder });
  };
  const ending = new AbortController();
  // What a server that was killed has left.
  const gone = { process: { pid: 2 ** 22, host: hostname(), started: '1' }, origin: 'http://127.0.0.1:1' };
  writeFileSync(join(folder, 'web-server-1.json'), JSON.stringify(gone));
  writeFileSync(join(folder, 'web-server-2.json'), '{');
  const first = start('0', ending.signal);
  await until(() => said.length === 1);
  const port = String(said[0]?.['port']);
  expect(readdirSync(folder).filter((name) => name.startsWith('web-server'))).toEqual([`web-server-${port}.json`]);
  await start(port, ending.signal);
  expect(said[1]).toEqual({ ...said[0], isOpenAlready: true });
  // A new token, and the server that runs takes it.
  await start(port, ending.signal, true);
  const { token, link } = said[2] ?? {};
  expect(token).not.toBe(said[0]?.['token']);
  expect(link).toContain(String(token));
  expect((await ask(Number(port), '/api/overview', { headers: bearer(String(token)) })).status).toBe(200);
  expect((await ask(Number(port), '/api/overview', { headers: bearer(String(said[0]?.['token'])) })).status).toBe(401);
  ending.abort();
  await first;
  // Something else that listens there is not taken for one.
  const stranger = createServer().listen(Number(port), '127.0.0.1');
  later(() => void stranger.close());
  await until(() => stranger.listening);
  await expect(start(port, AbortSignal.abort())).rejects.toMatchObject({ code: 'WEB_CANNOT_LISTEN' });
});
