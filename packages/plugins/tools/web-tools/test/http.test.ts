import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuard } from '../src/http/address-guard.ts';
import { decodeText } from '../src/http/charset.ts';
import { type ClientOptions, HttpClient, nextUrl } from '../src/http/client.ts';
import { proxyFor } from '../src/http/proxy.ts';
import { type FakeWeb, openFakeWeb } from './fake-web.ts';

const { signal } = new AbortController();
let web: FakeWeb;
let other: FakeWeb;
const clients: HttpClient[] = [];
beforeAll(async () => void ([web, other] = await Promise.all([openFakeWeb(), openFakeWeb()])));
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([web.close(), other.close()]);
});

function clientWith(options: Partial<ClientOptions> = {}): HttpClient {
  const client = new HttpClient({
    privateAddresses: 'allow',
    allowHosts: [],
    timeoutMs: 5000,
    maxBytes: 1024 * 1024,
    userAgent: 'Tenon/test',
    env: {},
    ...options,
  });
  clients.push(client);
  return client;
}
const ask = (path: string, options: Partial<ClientOptions> = {}) =>
  clientWith(options).ask({ url: web.origin + path, signal });
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (fault: { code: string }) => fault.code,
  );

describe('private addresses', () => {
  it('are found in every way of writing them', async () => {
    const guarded = clientWith({ privateAddresses: 'refuse' });
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
      'LOCALHOST',
      'a.localhost',
      '0',
    ]) {
      const url = `http://${host}:${new URL(web.origin).port}/`;
      expect([host, await codeOf(guarded.ask({ url, signal }))]).toEqual([host, 'WEB_PRIVATE']);
    }
    expect(web.asked).toEqual([]);
  });

  it('are found behind names, at the moment of connecting', async () => {
    const guard = createGuard({ privateAddresses: 'refuse', allowHosts: [] });
    const resolve = (name: string) =>
      new Promise((done) => guard.lookup(name, { all: true }, (fault, found) => done(fault ?? found)));
    expect(await resolve('localhost')).toMatchObject({ code: 'WEB_PRIVATE' });
  });

  it('are found after a redirect', async () => {
    const { host } = web;
    web.rules.set('/away', { status: 302, headers: { location: `${other.origin}/secret` } });
    const guarded = clientWith({ privateAddresses: 'refuse', allowHosts: [host] });
    const before = other.asked.length;
    expect(await codeOf(guarded.ask({ url: `${web.origin}/away`, signal }))).toBe('WEB_PRIVATE');
    expect(other.asked).toHaveLength(before);
  });

  it('can be allowed by host, port, address and range', async () => {
    web.rules.set('/ok', { body: 'ok' });
    for (const entry of ['127.0.0.1', web.host, '127.0.0.0/8']) {
      expect((await ask('/ok', { privateAddresses: 'refuse', allowHosts: [entry] })).status).toBe(200);
    }
    expect(await codeOf(ask('/ok', { privateAddresses: 'refuse', allowHosts: ['127.0.0.1:1', '10.0.0.0/8'] }))).toBe(
      'WEB_PRIVATE',
    );
    const byName = clientWith({ privateAddresses: 'refuse', allowHosts: ['localhost'] });
    expect(
      await byName
        .ask({ url: `http://localhost:${new URL(web.origin).port}/ok`, signal })
        .catch((fault: Error) => fault.message),
    ).toMatchObject({ status: 200 });
    expect(() => createGuard({ privateAddresses: 'refuse', allowHosts: ['http://x/y'] })).toThrow(/allowHosts/);
  });

  it('may be asked when the settings name them as the interface of a site', async () => {
    const guarded = clientWith({ privateAddresses: 'refuse' });
    const { origin } = web;
    expect((await guarded.ask({ url: `${origin}/ok`, trustedOrigin: origin, signal })).status).toBe(200);
    web.rules.set('/leave', { status: 302, headers: { location: `${other.origin}/` } });
    expect(await codeOf(guarded.ask({ url: `${origin}/leave`, trustedOrigin: origin, signal }))).toBe('WEB_PRIVATE');
  });

  it('hide in no number', () => {
    const guard = createGuard({ privateAddresses: 'refuse', allowHosts: [] });
    fc.assert(
      fc.property(fc.integer({ min: 0x7f000000, max: 0x7fffffff }), (number) => {
        expect(() => guard.checkLiteral(new URL(`http://${number}/`))).toThrow(/private network/);
      }),
    );
  });
});

describe('redirects', () => {
  it('are followed, but not forever', async () => {
    web.rules.set('/a', { status: 301, headers: { location: 'b?x=1#y' } });
    web.rules.set('/b', { body: 'arrived' });
    const answer = await ask('/a');
    expect(answer.url.href).toBe(`${web.origin}/b?x=1`);
    web.rules.set('/round', { status: 302, headers: { location: '/round' } });
    expect(await codeOf(ask('/round'))).toBe('WEB_REDIRECT');
  });

  it('are refused to anything but the web, and with a password in the address', async () => {
    for (const location of ['file:///etc/passwd', 'ftp://x/', 'http://user:pw@127.0.0.1/', 'http://[']) {
      web.rules.set('/bad', { status: 302, headers: { location } });
      expect([location, await codeOf(ask('/bad'))]).toEqual([location, 'WEB_REDIRECT']);
    }
  });

  it('do not leave an encrypted connection', () => {
    expect(nextUrl(new URL('https://a.example/'), 'https://b.example/x', 0).href).toBe('https://b.example/x');
    expect(() => nextUrl(new URL('https://a.example/'), 'http://a.example/', 0)).toThrow(/encrypted/);
  });

  it('do not carry keys to another host', async () => {
    web.rules.set('/moved', { status: 307, headers: { location: `${other.origin}/here` } });
    other.rules.set('/here', { body: 'x' });
    await clientWith().ask({
      url: `${web.origin}/moved`,
      secrets: { authorization: 'Bearer s' },
      headers: { 'x-plain': '1' },
      signal,
    });
    expect(web.asked.at(-1)?.headers['authorization']).toBe('Bearer s');
    expect(other.asked.at(-1)?.headers).toMatchObject({ 'x-plain': '1' });
    expect(other.asked.at(-1)?.headers['authorization']).toBeUndefined();
  });

  it('do not resend what was posted', async () => {
    web.rules.set('/post', { status: 307, headers: { location: `${other.origin}/here` } });
    const answer = await clientWith().ask({ url: `${web.origin}/post`, method: 'POST', body: 'secret', signal });
    expect(answer.status).toBe(307);
  });
});

describe('bodies', () => {
  it('are unpacked', async () => {
    for (const [encoding, body] of [
      ['gzip', gzipSync('packed')],
      ['deflate', deflateSync('packed')],
      ['br', brotliCompressSync('packed')],
      ['gzip, br', brotliCompressSync(gzipSync('packed'))],
    ] as const) {
      web.rules.set('/packed', { body, headers: { 'content-encoding': encoding } });
      expect((await ask('/packed')).bytes.toString()).toBe('packed');
    }
  });

  it('that unpack to something huge are cut or refused', async () => {
    web.rules.set('/bomb', { body: gzipSync(Buffer.alloc(80 * 1024 * 1024)), headers: { 'content-encoding': 'gzip' } });
    const answer = await ask('/bomb');
    expect(answer.isCut).toBe(true);
    expect(answer.bytes).toHaveLength(1024 * 1024);
    expect(await codeOf(clientWith().ask({ url: `${web.origin}/bomb`, whenTooLarge: 'refuse', signal }))).toBe(
      'WEB_TOO_LARGE',
    );
    web.rules.set('/layers', { body: 'x', headers: { 'content-encoding': 'gzip, gzip, gzip' } });
    expect(await codeOf(ask('/layers'))).toBe('WEB_ENCODING');
  });

  it('that are broken are reported as such', async () => {
    web.rules.set('/broken', { body: 'not gzip', headers: { 'content-encoding': 'gzip' } });
    expect(await codeOf(ask('/broken'))).toBe('WEB_ENCODING');
    web.rules.set('/unknown', { body: 'x', headers: { 'content-encoding': 'lzma' } });
    expect(await codeOf(ask('/unknown'))).toBe('WEB_ENCODING');
  });

  it('without an end are cut at the limit', async () => {
    web.rules.set('/endless', (_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65536)));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    expect((await ask('/endless')).isCut).toBe(true);
  });
});

describe('time', () => {
  it('is limited', async () => {
    web.rules.set('/slow', () => undefined);
    expect(await codeOf(ask('/slow', { timeoutMs: 150 }))).toBe('WEB_TIMEOUT');
    web.rules.set('/trickle', (_asked, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(await codeOf(ask('/trickle', { timeoutMs: 200 }))).toBe('WEB_TIMEOUT');
  });

  it('ends when the reader leaves', async () => {
    const controller = new AbortController();
    const pending = clientWith().ask({ url: `${web.origin}/slow`, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(pending).rejects.toThrow('enough');
  });
});

describe('failures', () => {
  it('say what happened', async () => {
    const client = clientWith();
    await expect(client.ask({ url: 'http://127.0.0.1:1/', signal })).rejects.toMatchObject({
      code: 'WEB_UNREACHABLE',
      message: expect.stringContaining('nothing listens there'),
    });
    for (const url of ['ftp://x/', 'nonsense', 'http://', 'https://a:b@c/', 'javascript:1']) {
      expect([url, await codeOf(client.ask({ url, signal }))]).toEqual([url, 'WEB_ADDRESS']);
    }
  });
});

describe('encodings', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);
  it.each([
    ['the header', bytes(0xe9), 'text/plain; charset=ISO-8859-1', 'é'],
    ['a mark at the start', bytes(0xff, 0xfe, 0x41, 0), 'text/plain', 'A'],
    ['a mark against the header', bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'text/plain; charset=latin1', 'é'],
    [
      'a meta tag',
      Buffer.concat([Buffer.from('<meta charset="windows-1251">'), bytes(0xcf)]),
      'text/html',
      '<meta charset="windows-1251">П',
    ],
    [
      'an XML declaration',
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="koi8-r"?>'), bytes(0xf0)]),
      'application/xml',
      '<?xml version="1.0" encoding="koi8-r"?>П',
    ],
    ['nothing', Buffer.from('é'), 'text/plain', 'é'],
  ])('are told by %s', (_by, body, type, expected) => expect(decodeText(body, type).text).toBe(expected));

  it('that nobody knows are read as UTF-8, with a note', () => {
    expect(decodeText(Buffer.from('é'), 'text/plain; charset=klingon')).toEqual({
      text: 'é',
      notes: [expect.stringContaining('klingon')],
    });
  });
});

describe('proxies', () => {
  it('are chosen by the usual variables', () => {
    const env = { https_proxy: 'http://p:1', HTTP_PROXY: 'http://q:2', no_proxy: '.corp.example, db:5432,*.in' };
    const of = (url: string) => proxyFor(new URL(url), env);
    expect(of('https://example.org')).toBe('http://p:1');
    expect(of('http://example.org')).toBe('http://q:2');
    expect([
      of('https://a.corp.example'),
      of('https://corp.example'),
      of('https://db:5432'),
      of('https://x.in'),
    ]).toEqual(Array(4).fill(undefined));
    expect(of('https://db:1')).toBe('http://p:1');
    expect([of('http://localhost:3'), of('http://127.0.0.1'), of('http://[::1]')]).toEqual(Array(3).fill(undefined));
    expect(proxyFor(new URL('https://a'), { all_proxy: 'socks5://x' })).toBeUndefined();
  });

  it('are used for names that only they can resolve', async () => {
    web.rules.set('/through', { body: 'through the proxy' });
    const wanted: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket: Socket) => {
      wanted.push(request.url ?? '');
      const target = connect(Number(new URL(web.origin).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const env = { http_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const client = clientWith({ privateAddresses: 'refuse', env });
    const answer = await client.ask({ url: 'http://page.invalid/through', signal });
    expect(answer.bytes.toString()).toBe('through the proxy');
    expect(wanted).toEqual(['page.invalid:80']);
    expect(await codeOf(client.ask({ url: 'http://10.0.0.1/', signal }))).toBe('WEB_PRIVATE');
    await client.close();
    proxy.closeAllConnections();
    proxy.close();
  });
});
