/** Agents that do not behave: the server and the other sessions go on. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import { LiveSessions } from '../src/live/live-sessions.ts';
import { EventLog } from '../src/server/event-log.ts';

const STATE = {
  sessionId: 's1',
  model: { id: 'm', provider: 'fake' },
  thinkingLevel: 'off',
  isStreaming: false,
  isCompacting: false,
  queuedMessageCount: 0,
};
const ANSWER = JSON.stringify({ type: 'response', id: 'web_1', success: true, data: STATE });

/** Sessions whose agents are a script of sh. */
function sessionsOf(script: string, startMs?: number) {
  const cwd = temporaryFolder('web');
  const file = join(cwd, 'agent.sh');
  writeFileSync(file, script.replace('ANSWER', `printf '%s\\n' '${ANSWER}'`));
  const log = new EventLog();
  const live = new LiveSessions({
    sessions: { list: async () => [], open: () => Promise.reject(new Error('no file')) },
    program: ['sh', file],
    env: process.env,
    log,
    ...(startMs !== undefined && { startMs }),
  });
  return { cwd, live, log };
}

const openFiles = () => readdirSync('/proc/self/fd').length;

test.each([
  ['null', 'null'],
  ['a number', '5'],
  ['no type', '{}'],
  ['a type that is none', '{"type":7}'],
  ['rubbish', 'hello'],
])('%s from an agent is no frame, and its session goes on', async (_, line) => {
  const { live, cwd } = sessionsOf(
    `read x; ANSWER; read y; printf '%s\\n' '${line}' '{"type":"agent_start"}'; cat >/dev/null`,
  );
  const session = await live.start(cwd);
  session.call('abort', {}).catch(() => undefined); // Only to have a line read.
  await until(() => session.isWorking);
  await live.closeAll();
});

test('an open session is listed before anything was said in it, and is gone when it is closed', async () => {
  const { live, cwd } = sessionsOf('read x; ANSWER; cat >/dev/null');
  await live.start(cwd);
  expect(await live.list(10)).toMatchObject([{ id: 's1', cwd, isOpen: true, isWorking: false, bytes: 0 }]);
  expect(await live.list(10, 'something else')).toEqual([]);
  await live.close('s1');
  expect(await live.list(10)).toEqual([]);
});

test('a frame that cannot be taken ends its agent alone, and an agent that ends leaves no files open', async () => {
  const { live, cwd, log } = sessionsOf(`read x; ANSWER; read y; echo '{"type":"message_end"}'; cat >/dev/null`);
  const before = openFiles();
  for (let round = 0; round < 5; round += 1) {
    const session = await live.start(cwd);
    const ended = session.call('abort', {});
    await expect(ended).rejects.toMatchObject({
      code: 'WEB_SESSION_FAILED',
      message: expect.stringContaining('message_end'),
    });
    expect(live.size).toBe(0);
    const events = session.log.follow(session.log.idOf(session.log.beginning), new AbortController().signal);
    const seen: unknown[] = [];
    for await (const event of events) seen.push(event?.type);
    expect(seen.at(-1)).toBe('ended');
  }
  await until(() => openFiles() <= before);
  expect(log.place).toBeGreaterThan(0);
});

test('what an agent writes during one tool can be more than the log holds: who joins gets the rest, and is not sent round in circles', async () => {
  const start = '{"type":"tool_execution_start","toolCallId":"t","toolName":"x","args":{}}';
  const update = `{"type":"tool_execution_update","toolCallId":"t","partialResult":{"content":[{"type":"text","text":"'"$big"'"}]}}`;
  const { live, cwd } = sessionsOf(
    `read x; ANSWER; read y; echo '${start}'; big=$(head -c 1000000 /dev/zero | tr '\\0' x); for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo '${update}'; done; echo '{"type":"agent_start"}'; cat >/dev/null`,
  );
  const session = await live.start(cwd);
  session.call('abort', {}).catch(() => undefined); // Only to have a line read.
  await until(() => session.isWorking);
  expect(session.log.beginning).toBeGreaterThan(0);
  expect(session.log.after(session.view(50).at)).not.toBeUndefined();
  await live.closeAll();
});

test('no more agents are started than may be open, also at the same time; one that does not answer is ended', async () => {
  const { live, cwd } = sessionsOf('exec sleep 300', 1_500);
  const results = await Promise.allSettled(Array.from({ length: 25 }, () => live.start(cwd)));
  const codes = results.map((result) => (result.status === 'rejected' ? (result.reason as { code: string }).code : ''));
  expect(codes.filter((code) => code === 'WEB_TOO_MANY')).toHaveLength(5);
  expect(codes.filter((code) => code === 'WEB_SESSION_FAILED')).toHaveLength(20);
  expect(live.size).toBe(0);
});

test('agents that are being started end with the server, and none is started after', async () => {
  const { live, cwd } = sessionsOf('cat >/dev/null');
  const starting = live.start(cwd);
  starting.catch(() => undefined); // Looked at below.
  await until(() => readdirSync(cwd).length > 0);
  await live.closeAll();
  await expect(starting).rejects.toMatchObject({ code: expect.stringMatching(/^WEB_/) });
  await expect(live.start(cwd)).rejects.toMatchObject({ code: 'WEB_TOO_MANY' });
});

test('an agent that ends as soon as it has answered leaves nothing open behind', async () => {
  const { live, cwd } = sessionsOf('read x; ANSWER');
  await live.start(cwd).catch(() => undefined); // Whether it is noticed before or after is a matter of time.
  await until(() => live.size === 0);
});
