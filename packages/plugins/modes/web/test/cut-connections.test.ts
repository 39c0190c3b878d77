/** Followers whose connections are cut in the middle of anything see what the server has. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiClient } from '../src/api.ts';
import { after, type Conversation, loaded } from '../src/page/state/conversation.ts';
import { cuttingProxy } from './cutting-proxy.ts';
import { openTalkingRoom, TOKEN } from './talking-room.ts';

const CUTS = 100;
const WORDS = 120;

test(`connections cut at ${CUTS} random points lose nothing and show nothing twice`, async () => {
  const room = await openTalkingRoom(WORDS);
  const direct = new ApiClient({ base: room.origin, token: TOKEN });
  const view = await direct.call('openSession', { body: {} });
  const points = fc.sample(fc.integer({ min: 1, max: 20_000 }), CUTS);
  const proxy = await cuttingProxy(room.port, () => points.pop());
  const ending = new AbortController();
  const pages: Conversation[] = Array.from({ length: CUTS }, () => loaded(view));
  const follow = async (index: number) => {
    const client = new ApiClient({ base: `http://127.0.0.1:${proxy.port}`, token: TOKEN });
    const options = { after: view.at, signal: ending.signal };
    for await (const event of client.follow(`/api/sessions/${view.id}/events`, options)) {
      expect(event.type).not.toBe('reset');
      pages[index] = after(pages[index] ?? loaded(view), event);
    }
  };
  const following = pages.map((_, index) => follow(index));
  await direct.call('prompt', { params: { id: view.id }, body: { message: 'go' } });
  const isWhole = ({ total, state }: Conversation) => total === 3 && !state.isStreaming;
  await until(() => pages.every(isWhole));
  const server = loaded(await direct.call('viewSession', { params: { id: view.id } }));
  ending.abort();
  await Promise.all(following);
  for (const page of pages) expect(page).toEqual(server);
  expect(proxy.count()).toBeGreaterThan(CUTS / 2);
});

test('an answer that is not the server’s own, as a head that was cut off gives, does not end what is followed', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    if (asked === 1) return response.writeHead(404).end('<p>a proxy speaks');
    if (asked === 2) {
      const event = 'id: x.1\nevent: news\ndata: {}\n\n';
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event);
    }
    return response.writeHead(401).end(JSON.stringify({ error: { code: 'WEB_TOKEN', message: 'No.' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => void server.close());
  const client = new ApiClient({ base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: TOKEN });
  const events = client.follow('/api/events', { signal: AbortSignal.timeout(60_000) });
  expect((await events.next()).value).toMatchObject({ id: 'x.1', type: 'news' });
  // What the server itself refuses ends it.
  await expect(events.next()).rejects.toMatchObject({ status: 401, code: 'WEB_TOKEN' });
});
