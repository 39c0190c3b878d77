/** Servers that close kept connections: the request that finds out is sent again, and nobody sees it. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { watchedFetch } from '../src/watched-fetch.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server that answers a connection's first request and hangs up on its second. */
async function forgetful() {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isUsed = false;
    socket.on('error', () => undefined); // the client may be gone first
    socket.on('data', () => {
      requests++;
      if (isUsed) return void socket.resetAndDestroy();
      isUsed = true;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}

describe('a kept connection that the server has closed', () => {
  it('costs nothing that anybody sees', async () => {
    const { url, requests } = await forgetful();
    const send = watchedFetch(5_000);
    for (let round = 0; round < 3; round++) {
      const response = await send(url, { method: 'POST', body: '{}' });
      expect(await new Response(response.body).text()).toBe('ok');
    }
    // More came in than were made: at least one found its connection closed.
    expect(requests()).toBeGreaterThan(3);
  });

  it('is told when the server is gone for good', async () => {
    await expect(watchedFetch(5_000)('http://127.0.0.1:9', { method: 'POST', body: '{}' })).rejects.toThrow();
  });
});
