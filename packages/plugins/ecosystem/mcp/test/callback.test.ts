import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type Callback, openCallback } from '../src/oauth/callback.ts';

let callback: Callback;
afterEach(() => callback.close());

/** What comes back for a first line that no browser writes. */
async function raw(line: string): Promise<string> {
  const socket = connect(Number(new URL(callback.redirectUrl).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).split('\r\n', 1)[0] ?? '';
}

describe('the address that a browser comes back to', () => {
  it('takes the login that was begun, and nothing else that any page or program sends', async () => {
    callback = await openCallback({});
    const waiting = callback.wait('the-state', new AbortController().signal);
    for (const line of ['GET // HTTP/1.1', 'GET http://[ HTTP/1.1', 'GET /other?state=the-state HTTP/1.1'])
      expect(await raw(line), line).toMatch(/ 40[04] /);
    expect(await raw('POST /callback?state=the-state&code=x HTTP/1.1')).toMatch(/ 404 /);
    expect(await raw('GET /callback?state=other&code=x HTTP/1.1')).toMatch(/ 400 /);
    expect(await raw('GET /callback?state=the-state&code=right HTTP/1.1')).toMatch(/ 200 /);
    expect((await waiting).get('code')).toBe('right');
  });
});
