/** Followers whose connections are cut in the middle of anything see what the server has. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiClient } from '../src/api.ts';
import { openControlRoom, type RoomParts } from '../src/control-room.ts';
import { after, type Conversation, loaded } from '../src/page/state/conversation.ts';
import { cuttingProxy } from './cutting-proxy.ts';

const TOKEN = 'c'.repeat(43);
const CUTS = 100;
const WORDS = 120;

/** An agent that answers a prompt word by word, with letters of several bytes, and calls a tool. */
const AGENT = `
const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
const state = { sessionId: 's1', model: { id: 'm', provider: 'fake' }, thinkingLevel: 'off', isStreaming: false, isCompacting: false, queuedMessageCount: 0 };
const pause = () => new Promise((resolve) => setTimeout(resolve, 3));
async function work() {
  say({ type: 'agent_start' });
  const user = { role: 'user', content: 'go' };
  say({ type: 'message_start', message: user });
  say({ type: 'message_end', message: user });
  say({ type: 'message_start', message: { role: 'assistant', content: [] } });
  let text = '';
  for (let index = 0; index < ${WORDS}; index += 1) {
    const delta = 'wört' + index + ' 🌊 ';
    text += delta;
    say({ type: 'message_update', message: {}, assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta } });
    if (index % 4 === 0) await pause();
  }
  say({ type: 'message_end', message: { role: 'assistant', content: [{ type: 'text', text }, { type: 'toolCall', id: 'c', name: 'look', arguments: {} }] } });
  say({ type: 'tool_execution_start', toolCallId: 'c', toolName: 'look', args: {} });
  await pause();
  say({ type: 'tool_execution_end', toolCallId: 'c' });
  const result = { role: 'toolResult', toolCallId: 'c', content: [{ type: 'text', text: 'seen' }] };
  say({ type: 'message_start', message: result });
  say({ type: 'message_end', message: result });
  say({ type: 'agent_end', messages: [] });
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, type } = JSON.parse(line);
  say({ type: 'response', id, success: true, data: type === 'get_state' ? state : {} });
  if (type === 'prompt') void work();
}).on('close', () => process.exit(0));
`;

test(`connections cut at ${CUTS} random points lose nothing and show nothing twice`, async () => {
  const folder = temporaryFolder('web');
  writeFileSync(join(folder, 'agent.cjs'), AGENT);
  const silent = () => undefined;
  const none = async () => undefined;
  const parts = {
    folders: { cwd: folder, home: folder },
    sessions: { list: async () => [], open: () => Promise.reject(new Error('no file')) },
    runs: async () => ({ list: async () => [] }),
    worktrees: none,
    accounts: none,
    approvals: none,
    workflows: none,
    fleet: none,
    program: [process.execPath, join(folder, 'agent.cjs')],
    env: process.env,
    version: '1',
    log: { debug: silent, info: silent, warn: silent, error: silent },
  } as unknown as RoomParts;
  const room = await openControlRoom(parts, { address: '127.0.0.1', port: 0, token: () => TOKEN, names: [] });
  later(() => room.close());
  const direct = new ApiClient({ base: room.origin, token: TOKEN });
  const view = await direct.call('openSession', { body: {} });
  const points = fc.sample(fc.integer({ min: 1, max: 20_000 }), CUTS);
  const proxy = await cuttingProxy(room.port, points);
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
