/** Questions by Telegram: announced once, answered by those who may, marked when they are over, kept over restarts. */
import { silentLogger } from '@tenon/kernel';
import { recordedIo } from '@tenon/test-kit/command-run';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, test } from 'vitest';
import { testChannel } from '../src/commands.ts';
import { Questions } from '../src/dispatch/questions.ts';
import { readChannelsState, StateKeeper } from '../src/state/state.ts';
import { FakeTelegram, TELEGRAM_TOKEN } from './fakes/telegram.ts';
import { makeWorld, PlayedQuestions, type World } from './world.ts';

const [ME, OTHER] = [42, 43];

async function start(more: Parameters<typeof makeWorld>[1] = {}): Promise<{ world: World; telegram: FakeTelegram }> {
  const telegram = await new FakeTelegram(-1001).start();
  const use = { phone: { kind: 'telegram', to: '-1001', users: [String(ME)], server: telegram.origin } };
  return { world: makeWorld(use, more), telegram };
}

const shown = async (telegram: FakeTelegram, count = 1) => {
  await until(() => telegram.messages.length >= count, 'the message');
  const { last } = telegram;
  if (!last) throw new Error('no message');
  return last;
};

describe('a question', () => {
  test('comes with buttons; a press answers it, and the message says so', async () => {
    const { world, telegram } = await start();
    await world.serve();
    world.questions.ask({
      id: 'db',
      text: 'Which **database**?\n```sh\nrm -rf /\n```',
      options: ['SQLite', 'PostgreSQL'],
    });
    const message = await shown(telegram);
    expect(message.text).toContain('brisk-otter asks\nWhich **database**?\nrm -rf /');
    expect(message.entities.map(({ offset, length }) => message.text.slice(offset, offset + length))).toEqual([
      'rm -rf /',
    ]);
    telegram.press(message, 'PostgreSQL', ME);
    await until(() => message.buttons.length === 0, 'the mark');
    expect(world.questions.answers).toEqual([{ id: 'db', answer: 'PostgreSQL', by: '42 (phone)' }]);
    expect(message.text).toMatch(/Answered by 42 through phone: PostgreSQL$/);
    await until(() => telegram.notices.length === 1, 'the notice');
    expect(telegram.notices[0]?.text).toBe('Taken: PostgreSQL');
    expect(telegram.messages).toHaveLength(1);
  });

  test('is answered by a reply in words, or by its code; only where words are taken', async () => {
    const { world, telegram } = await start();
    await world.serve();
    world.questions.ask({ id: 'a', options: ['one'] });
    const first = await shown(telegram);
    telegram.say(ME, 'in my own words', { reply_to_message: { message_id: first.id } });
    await until(() => world.questions.answers.length === 1, 'the answer');
    world.questions.ask({ id: 'b', options: ['Allow once', 'Deny'], takesText: false });
    const second = await shown(telegram, 2);
    const code = second.buttons[0]?.[0]?.callback_data.split(':')[1] ?? '';
    telegram.say(ME, `${code}: perhaps`);
    expect((await shown(telegram, 3)).text).toBe(`${code}: Answer with one of: 1. Allow once, 2. Deny.`);
    telegram.say(ME, `${code} deny`);
    await until(() => world.questions.answers.length === 2, 'the second answer');
    expect(world.questions.answers.map(({ answer }) => answer)).toEqual(['in my own words', 'Deny']);
  });

  test('is not answered by anybody else, whatever way they take', async () => {
    const { world, telegram } = await start();
    await world.serve();
    world.questions.ask({ id: 'a', options: ['Yes'] });
    const message = await shown(telegram);
    telegram.press(message, 'Yes', OTHER);
    await until(() => telegram.notices.length === 1, 'the refusal');
    expect(telegram.notices[0]?.text).toBe('You are not listed as somebody who may answer.');
    telegram.say(OTHER, 'Yes', { reply_to_message: { message_id: message.id } });
    telegram.say(ME, 'Yes', { reply_to_message: { message_id: message.id }, chat: { id: 7 } });
    await until(() => telegram.unconfirmed === 0, 'all being read');
    expect(world.questions.answers).toEqual([]);
    expect(telegram.messages).toHaveLength(1);
  });

  test('counts the first answer; whoever comes later is told, also when it was answered elsewhere', async () => {
    const { world, telegram } = await start();
    await world.serve();
    let release = () => {};
    world.questions.hold = new Promise((resolve) => void (release = resolve));
    world.questions.ask({ id: 'a', options: ['One', 'Two'] });
    const message = await shown(telegram);
    telegram.press(message, 'One', ME);
    telegram.press(message, 'Two', ME);
    release();
    await until(() => telegram.notices.length === 2, 'both notices');
    expect(world.questions.answers.map(({ answer }) => answer)).toEqual(['One']);
    expect(telegram.notices[1]?.text).toMatch(/^You were too late\. Answered by 42 through phone: One/);
    world.questions.ask({ id: 'b', options: ['One'] });
    const second = await shown(telegram, 2);
    telegram.press(second, 'One', ME);
    world.questions.withdraw('b');
    await until(() => second.buttons.length === 0, 'the mark');
    expect(second.text).toMatch(/Answered elsewhere, or no longer open\.$|Answered by/);
  });

  test('that is answered quickly at the screen disturbs nobody', async () => {
    const source = new PlayedQuestions();
    const state = new StateKeeper(temporaryFolder('channels'), await readChannelsState('/none'));
    const questions = new Questions({
      state,
      channels: new Map(),
      sources: new Map([['played', source]]),
      runs: () => Promise.reject(new Error('no run is part of this test')),
      mask: (value) => value,
      proofOf: () => '',
      log: silentLogger,
      delayMs: 15_000,
      home: '/none',
      wake: () => undefined,
    });
    const asked = () => Object.values(state.now.questions).map(({ id }) => id);
    source.ask({ id: 'quick' });
    await questions.look(0);
    source.withdraw('quick');
    source.ask({ id: 'slow' });
    await questions.look(14_000);
    await questions.look(20_000);
    expect(asked()).toEqual([]);
    await questions.look(29_000);
    expect(asked()).toEqual(['slow']);
  });

  test('that is too long to be shown cannot be allowed from afar', async () => {
    const { world, telegram } = await start();
    await world.serve();
    const code = `echo ${'x'.repeat(100)}\n`.repeat(500);
    world.questions.ask({ id: 'a', code, options: ['Allow once', 'Deny'], blindOptions: ['Deny'], takesText: false });
    const message = await shown(telegram);
    expect(message.text).toContain('too long to be shown here');
    expect(message.buttons.flat().map(({ text }) => text)).toEqual(['Deny']);
    const name = message.buttons[0]?.[0]?.callback_data.split(':')[1] ?? '';
    telegram.say(ME, `${name}: Allow once`);
    await until(() => telegram.messages.length === 2, 'the refusal');
    expect(world.questions.answers).toEqual([]);
  });

  test('that is too long to be shown takes no words in place of a yes', async () => {
    const { world, telegram } = await start();
    await world.serve();
    const text = 'one more change\n'.repeat(4000);
    world.questions.ask({ id: 'a', text, options: ['yes', 'no'], blindOptions: ['no'], takesText: true });
    const message = await shown(telegram);
    expect(message.text).toContain('too long to be shown here');
    expect(message.buttons.flat().map(({ text: label }) => label)).toEqual(['no']);
    const name = message.buttons[0]?.[0]?.callback_data.split(':')[1] ?? '';
    telegram.say(ME, `${name}: yes`);
    await until(() => telegram.messages.length === 2, 'the refusal');
    expect(world.questions.answers).toEqual([]);
    telegram.say(ME, `${name}: no`);
    await until(() => world.questions.answers.length === 1, 'the answer');
  });

  test('in many messages carries its buttons below the last one', async () => {
    const { world, telegram } = await start();
    await world.serve();
    world.questions.ask({ id: 'a', text: 'word '.repeat(2000), options: ['Yes'] });
    await until(() => telegram.last?.buttons.length === 1, 'the last message');
    expect(telegram.messages.length).toBeGreaterThan(2);
    expect(telegram.messages.slice(0, -1).every(({ buttons }) => buttons.length === 0)).toBe(true);
  });
});

describe('over a restart', () => {
  test('nothing is announced twice, and an answer that came meanwhile counts', async () => {
    const { world, telegram } = await start();
    const end = await world.serve();
    world.questions.ask({ id: 'a', options: ['Yes'] });
    const message = await shown(telegram);
    await until(async () => (await world.state()).outbox.length === 0, 'the note that it was sent');
    await end();
    telegram.press(message, 'Yes', ME);
    await world.serve();
    await until(() => message.buttons.length === 0, 'the mark');
    expect(telegram.messages).toHaveLength(1);
    expect(world.questions.answers).toHaveLength(1);
  });

  test('what could not be sent is sent later; the wait that the service asks for is kept', async () => {
    const { world, telegram } = await start();
    telegram.limited = 1;
    telegram.retryAfter = 60;
    const end = await world.serve();
    world.questions.ask({ id: 'a' });
    await until(async () => (await world.state()).faults['phone'] !== undefined, 'the fault');
    expect((await world.state()).faults['phone']?.text).toBe('Telegram answered 429: Too Many Requests');
    await end();
    expect([(await world.state()).outbox.length, telegram.messages.length]).toEqual([1, 0]);
    await world.serve();
    await shown(telegram);
    expect(telegram.messages).toHaveLength(1);
  });

  test('one process serves at a time', async () => {
    const { world } = await start();
    const end = await world.serve();
    const refused = world.service.serve({ signal: new AbortController().signal });
    await expect(refused).rejects.toMatchObject({ code: 'CHANNELS_BUSY' });
    await end();
    await (
      await world.serve()
    )();
  });
});

test('the token is in no log, no state and no message, even when the service repeats it', async () => {
  const { world, telegram } = await start();
  const end = await world.serve();
  world.questions.ask({ id: 'a', text: `my token is ${TELEGRAM_TOKEN}` });
  expect((await shown(telegram)).text).toContain('my token is [redacted]');
  await end();
  expect(JSON.stringify([world.log, await world.state()])).not.toContain(TELEGRAM_TOKEN);
});

test('two chats of one bot are served by one listener, each with its own people', async () => {
  const telegram = await new FakeTelegram(-1001).start();
  telegram.others.push(-2002);
  const common = { kind: 'telegram', server: telegram.origin };
  const world = makeWorld({
    ours: { ...common, to: '-1001', users: [String(ME)] },
    theirs: { ...common, to: '-2002', users: [String(OTHER)] },
  });
  await world.serve();
  world.questions.ask({ id: 'a', options: ['Yes', 'No'] });
  await until(() => telegram.messages.length === 2, 'both messages');
  const theirs = telegram.messages.find(({ chat }) => chat === -2002);
  if (!theirs) throw new Error('no message');
  telegram.press(theirs, 'No', ME);
  await until(() => telegram.notices.length === 1, 'the refusal');
  telegram.press(theirs, 'Yes', OTHER);
  await until(() => telegram.messages.every(({ buttons }) => buttons.length === 0), 'both marks');
  expect(world.questions.answers).toEqual([{ id: 'a', answer: 'Yes', by: '43 (theirs)' }]);
  expect(telegram.messages.every(({ text }) => text.endsWith('Answered by 43 through theirs: Yes'))).toBe(true);
  expect(telegram.conflicts).toBe(0);
});

test('secrets are masked in questions, choices and results', async () => {
  const mask = <T>(value: T): T => (typeof value === 'string' ? value.replaceAll('hunter2', '****') : value) as T;
  const { world, telegram } = await start({ masks: async () => ({ mask, maskFile: async () => undefined }) });
  await world.serve();
  world.questions.ask({ id: 'a', title: 'hunter2?', text: 'hunter2', code: 'hunter2', options: ['use hunter2'] });
  const message = await shown(telegram);
  expect(JSON.stringify(message)).not.toContain('hunter2');
  telegram.press(message, 'use ****', ME);
  await until(() => message.buttons.length === 0, 'the mark');
  expect(world.questions.answers[0]?.answer).toBe('use hunter2');
  expect(JSON.stringify([message, telegram.notices])).not.toContain('hunter2');
});

test('`channels test` sends a message, and says why when the service does not take it', async () => {
  const { world, telegram } = await start();
  const { io, written } = recordedIo();
  const call = { args: { name: 'phone' }, flags: {}, io, cwd: '/', signal: new AbortController().signal };
  await testChannel(world.service, call);
  expect(written.out).toBe('Sent. Look at phone.\n');
  expect((await shown(telegram)).text).toContain('This is a test of the channel "phone"');
  telegram.limited = 1;
  const refused = testChannel(world.service, call);
  await expect(refused).rejects.toThrow('The channel "phone" did not take the message: Telegram answered 429');
  await expect(testChannel(world.service, { ...call, args: { name: 'fone' } })).rejects.toMatchObject({
    code: 'CHANNELS_UNKNOWN',
    message: expect.stringContaining('phone'),
  });
});
