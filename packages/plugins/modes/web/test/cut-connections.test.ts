/** Followers whose connections are cut in the middle of anything see what the server has. */
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiClient } from '../src/api.ts';
import { openControlRoom, type RoomParts } from '../src/control-room.ts';
import { after, type Conversation, loaded } from '../src/page/state/conversation.ts';

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

/** Passes bytes on; the first connections are cut after so many of them. */
async function cuttingProxy(target: number, cuts: number[]): Promise<{ port: number; count(): number }> {
  let done = 0;
  const proxy = createServer((client) => {
    let left = cuts.pop() ?? Number.POSITIVE_INFINITY;
    const server = connect(target, '127.0.0.1');
    const end = () => {
      client.destroy();
      server.destroy();
    };
    // The server answers only to its own name.
    client.on('data', (part) =>
      server.write(part.toString('latin1').replace(/^host: .*$/im, `host: 127.0.0.1:${target}`), 'latin1'),
    );
    server.on('data', (part) => {
      client.write(part.subarray(0, left));
      left -= part.length;
      if (left > 0) return;
      done += 1;
      end();
    });
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  later(() => void proxy.close());
  return { port: (proxy.address() as AddressInfo).port, count: () => done };
}

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
