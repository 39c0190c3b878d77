import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrokeredRequest, type BrokeredResponse, createFetchBroker } from '../src/fetch-broker.ts';

let server: Server;
let port = 0;
const seen: { url: string; method: string; body: string; authorization: string | undefined }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { url = '', method = '', headers } = request;
      seen.push({ url, method, body, authorization: headers.authorization });
      const to = new URL(url, 'http://x').searchParams.get('to');
      if (url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed text'));
      else if (url === '/circle') response.writeHead(302, { location: '/circle' }).end();
      else if (to !== null) response.writeHead(302, { location: to }).end();
      else response.writeHead(201, { 'x-answer': 'yes' }).end(`${method} ${url} ${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => server.close());

const request = (path: string, more: Partial<BrokeredRequest> = {}): BrokeredRequest => ({
  url: path.startsWith('http') ? path : `http://localhost:${port}${path}`,
  method: 'GET',
  headers: [],
  redirect: 'follow',
  ...more,
});

const textOf = async ({ body }: BrokeredResponse) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

describe('requests that Tenon makes for packs', () => {
  const fetchFor = (...hosts: string[]) => createFetchBroker('x', hosts);

  it('reach a declared host and give status, headers and body', async () => {
    const answer = await fetchFor(`localhost:${port}`)(
      request('/a', { method: 'POST', body: Buffer.from('hi') }),
      undefined,
    );
    expect(answer).toMatchObject({ status: 201, redirected: false });
    expect(answer.headers).toContainEqual(['x-answer', 'yes']);
    expect(await textOf(answer)).toBe('POST /a hi');
    expect(await textOf(await fetchFor(`localhost:${port}`)(request('/gzip'), undefined))).toBe('packed text');
  });

  it('are refused to hosts that were not declared', async () => {
    const refusal = { code: 'PACK_HOST_NET_REFUSED' };
    await expect(fetchFor()(request('/a'), undefined)).rejects.toMatchObject(refusal);
    await expect(fetchFor('localhost')(request('/a'), undefined)).rejects.toMatchObject(refusal);
    await expect(fetchFor(`localhost:${port}`)(request(`http://127.0.0.1:${port}/a`), undefined)).rejects.toMatchObject(
      refusal,
    );
    await expect(fetchFor(`localhost:${port}`)(request('nonsense'), undefined)).rejects.toMatchObject(refusal);
    await expect(
      fetchFor(`localhost:${port}`)(request(`http://user:pass@localhost:${port}/`), undefined),
    ).rejects.toMatchObject(refusal);
  });

  it('are refused where a public name stands for a private address', async () => {
    // ip6-localhost is in every hosts file of Debian; where it is not, the name stands for nothing, which fails as well.
    const failure = await fetchFor('ip6-localhost')(request('http://ip6-localhost/'), undefined).catch(
      (fault: { code: string }) => fault.code,
    );
    expect(['PACK_HOST_NET_REFUSED', 'PACK_HOST_NET_FAILED']).toContain(failure);
  });

  it('follow redirects only to declared hosts', async () => {
    const ask = fetchFor(`localhost:${port}`);
    expect(await textOf(await ask(request('/?to=/b'), undefined))).toBe('GET /b ');
    await expect(ask(request(`/?to=http://127.0.0.1:${port}/secret`), undefined)).rejects.toMatchObject({
      code: 'PACK_HOST_NET_REFUSED',
    });
    await expect(ask(request('/?to=file:///etc/passwd'), undefined)).rejects.toMatchObject({
      code: 'PACK_HOST_NET_REFUSED',
    });
    expect(seen.some(({ url }) => url === '/secret')).toBe(false);
    await expect(ask(request('/circle'), undefined)).rejects.toThrow('circles');
    expect(await ask(request('/?to=/b', { redirect: 'manual' }), undefined)).toMatchObject({ status: 302 });
    await expect(ask(request('/?to=/b', { redirect: 'error' }), undefined)).rejects.toThrow('redirects');
  });

  it('tell credentials to no other host than the one they are for', async () => {
    const ask = fetchFor(`localhost:${port}`, `127.0.0.1:${port}`);
    const headers = [['authorization', 'Bearer x']] as const;
    await ask(request(`/?to=http://127.0.0.1:${port}/other`, { headers }), undefined);
    expect(seen.find(({ url }) => url === '/other')).toMatchObject({ authorization: undefined });
    await ask(request('/?to=/same', { headers }), undefined);
    expect(seen.find(({ url }) => url === '/same')).toMatchObject({ authorization: 'Bearer x' });
  });

  it('can be cancelled', async () => {
    const controller = new AbortController();
    const waiting = fetchFor(`localhost:${port}`)(request('/a'), controller.signal);
    controller.abort(new Error('no more'));
    await expect(waiting).rejects.toThrow();
  });
});
