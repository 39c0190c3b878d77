/** A message goes out only when it is on disk: a process that is killed at any moment knows it again by its id. */
import { readFileSync } from 'node:fs';
import { silentLogger } from '@tenon/kernel';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import type { Channel } from '../src/channel.ts';
import { outboxEntry, Sender } from '../src/dispatch/outbox.ts';
import type { DispatchParts } from '../src/dispatch/parts.ts';
import { prose } from '../src/message/blocks.ts';
import { type ChannelsState, readChannelsState, stateFile, StateKeeper } from '../src/state/state.ts';

const MESSAGES = 20;

test('what is not written down yet waits, whoever has woken the sender', async () => {
  const folder = temporaryFolder('channels');
  const state = new StateKeeper(folder, await readChannelsState(folder));
  const sent: string[] = [];
  const unknown: string[] = [];
  /** Looks at the disk in the moment in which it is asked to send. */
  const channel: Channel = {
    limit: 10_000,
    size: (blocks) => blocks.length,
    maxChoices: 0,
    takesText: false,
    async send({ key }) {
      const { outbox } = JSON.parse(readFileSync(stateFile(folder), 'utf8')) as ChannelsState;
      if (!outbox.some((entry) => key === `${entry.id}-${entry.sent}`)) unknown.push(key);
      sent.push(key);
      return key;
    },
  };
  const open = { name: 'here', settings: { kind: 'none' }, channel };
  const parts: DispatchParts = {
    state,
    channels: new Map([['here', open]]),
    sources: new Map(),
    runs: () => Promise.reject(new Error('no run is part of this test')),
    mask: (value) => value,
    proofOf: () => '',
    log: silentLogger,
    delayMs: 0,
    home: '/none',
    wake: () => undefined,
  };
  await state.change(() => undefined);
  const sender = new Sender(parts, open);
  const ending = new AbortController();
  const running = sender.run(ending.signal);
  for (let index = 0; index < MESSAGES; index += 1) {
    const entry = outboxEntry(parts, { channel: 'here', what: 'text', blocks: [prose(`message ${index}`)] });
    const stored = state.change((now) => void now.outbox.push(entry));
    sender.wake();
    await stored;
  }
  await until(() => sent.length >= MESSAGES, 'the messages');
  ending.abort();
  await running;
  expect(unknown).toEqual([]);
  expect(new Set(sent).size).toBe(MESSAGES);
});
