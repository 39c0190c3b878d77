import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { listen } from '../src/auth/callback.ts';

describe('the address that a browser comes back to', () => {
  it('is still there after what any page or program sends', async () => {
    const { redirect, code, close } = await listen('acme', { clientId: 'x' } as never, 'the-state');
    const raw = async (line: string) => {
      const socket = connect(Number(new URL(redirect).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.end(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      return (await text(socket)).split('\r\n', 1)[0] ?? '';
    };
    try {
      for (const line of ['GET // HTTP/1.1', 'GET http://[ HTTP/1.1'])
        expect(await raw(line), line).toMatch(/ 40[04] /);
      expect(await raw('GET /callback?state=other&code=x HTTP/1.1')).toMatch(/ 400 /);
      expect(await raw('GET /callback?state=the-state&code=right HTTP/1.1')).toMatch(/ 200 /);
      expect(await code(new AbortController().signal)).toBe('right');
    } finally {
      close();
    }
  });
});
