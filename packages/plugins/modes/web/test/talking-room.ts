/** A control room in this process, with one agent that talks and calls a tool; runs as the test wants them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { type ControlRoom, openControlRoom, type RoomParts } from '../src/control-room.ts';

/** What opens it. */
export const TOKEN = 'c'.repeat(43);

/** An agent that answers a prompt word by word, with letters of several bytes, and calls a tool. */
const agent = (words: number) => `
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
  for (let index = 0; index < ${words}; index += 1) {
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

/** Opens it. */
export async function openTalkingRoom(words: number, more: Partial<RoomParts> = {}, port = 0): Promise<ControlRoom> {
  const folder = temporaryFolder('web');
  writeFileSync(join(folder, 'agent.cjs'), agent(words));
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
    ...more,
  } as unknown as RoomParts;
  const room = await openControlRoom(parts, { address: '127.0.0.1', port, token: () => TOKEN, names: [] });
  later(() => room.close());
  return room;
}
