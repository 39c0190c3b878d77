/** Discord: questions with buttons, the gateway, and threads that are runs. */
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, test } from 'vitest';
import { DISCORD_TOKEN, FakeDiscord } from './fakes/discord.ts';
import { authOf, makeWorld, type World } from './world.ts';

const CHANNEL = '111222333';
const [ME, OTHER] = ['4242', '4343'];

async function start(): Promise<{ world: World; discord: FakeDiscord }> {
  const discord = await new FakeDiscord(CHANNEL).start();
  const threads = { cwd: '~/shop', worker: 'claude', worktree: 'never' as const };
  const use = { team: { kind: 'discord', to: CHANNEL, users: [ME], server: discord.server, threads } };
  return { world: makeWorld(use), discord };
}

const connected = (discord: FakeDiscord, what = 'identify') =>
  until(() => discord.connections === 1 && discord.heard.at(-1)?.startsWith(what) === true, 'the connection');

async function shown(discord: FakeDiscord, count = 1) {
  await until(() => discord.messages.length >= count, 'the message');
  const { last } = discord;
  if (!last) throw new Error('no message');
  return last;
}

/** The run of the only thread. */
const runOf = async (world: World, discord: FakeDiscord, text = 'fix the parser') => {
  await connected(discord);
  const message = discord.say(ME, text);
  await until(() => world.runs.all.size === 1, 'the run');
  await until(() => discord.messages.length === 1, 'the notice');
  const [run] = [...world.runs.all.values()];
  if (!run) throw new Error('no run');
  return { message, run };
};

describe('a question', () => {
  test('is answered with a button, and only by whom the settings list', async () => {
    const { world, discord } = await start();
    await world.serve();
    await connected(discord);
    world.questions.ask({
      id: 'a',
      text: 'Ping @everyone and <@1>?',
      options: ['Allow once', 'Deny'],
      takesText: false,
    });
    const message = await shown(discord);
    expect(message.content).toBe(`brisk\\-otter asks\nPing @\u200beveryone and \\<@1\\>?`);
    discord.press(message, 'Deny', OTHER);
    await until(() => discord.responses.length === 1, 'the refusal');
    discord.press(message, 'Allow once', ME);
    await until(() => message.buttons.length === 0 && discord.responses.length === 2, 'the mark');
    expect(discord.responses.map(({ content }) => content)).toEqual([
      'You are not listed as somebody who may answer.',
      'Taken: Allow once',
    ]);
    expect(world.questions.answers).toEqual([{ id: 'a', answer: 'Allow once', by: `${ME} (team)` }]);
    expect(message.content).toContain('Answered by 4242 through team: Allow once');
  });

  test('in two channels of one bot is answered where somebody pressed, and told once', async () => {
    const discord = await new FakeDiscord(CHANNEL).start();
    discord.others.push('999888777');
    const common = { kind: 'discord', server: discord.server };
    const world = makeWorld({
      ours: { ...common, to: CHANNEL, users: [ME] },
      theirs: { ...common, to: '999888777', users: [OTHER] },
    });
    await world.serve();
    await until(() => discord.heard.filter((what) => what === 'identify').length === 2, 'both connections');
    world.questions.ask({ id: 'a', options: ['Yes', 'No'], takesText: false });
    await until(() => discord.messages.length === 2, 'both messages');
    const ours = discord.messages.find(({ place }) => place === CHANNEL);
    if (!ours) throw new Error('no message');
    discord.press(ours, 'No', OTHER);
    await until(() => discord.responses.length === 1, 'the refusal');
    expect(world.questions.answers).toEqual([]);
    discord.press(ours, 'Yes', ME);
    await until(() => discord.messages.every(({ buttons }) => buttons.length === 0), 'both marks');
    await until(() => discord.responses.length === 2, 'the word to whom pressed');
    expect(discord.responses.map(({ content }) => content)).toEqual([
      'You are not listed as somebody who may answer.',
      'Taken: Yes',
    ]);
    expect(world.questions.answers).toEqual([{ id: 'a', answer: 'Yes', by: `${ME} (ours)` }]);
  });

  test('waits as long as the rate limit says, and is sent once', async () => {
    const { world, discord } = await start();
    await world.serve();
    await connected(discord);
    discord.limited = 2;
    world.questions.ask({ id: 'a' });
    await shown(discord);
    expect(discord.limited).toBe(0);
    await until(async () => (await world.state()).outbox.length === 0, 'the note');
    expect(discord.messages).toHaveLength(1);
  });
});

describe('the gateway', () => {
  test('resumes after a cut and misses nothing; what comes twice counts once', async () => {
    const { world, discord } = await start();
    await world.serve();
    const { run } = await runOf(world, discord);
    world.runs.move(run.id, { state: 'done', result: { text: 'first' } });
    await shown(discord, 2);
    discord.cut();
    const thread = [...discord.threads.keys()][0] ?? '';
    discord.say(ME, 'and now the tests', { channel_id: thread });
    await connected(discord, 'resume');
    await until(() => world.runs.sent.length === 1, 'the message');
    expect(world.runs.sent).toEqual([{ run: run.id, text: 'and now the tests' }]);
    discord.askToReconnect();
    await until(() => discord.heard.filter((word) => word.startsWith('resume')).length === 2, 'the second resume');
    expect(discord.heard.filter((word) => word === 'identify')).toHaveLength(1);
    expect(world.runs.starts).toBe(1);
  });

  test('begins anew where it cannot resume, and reads what was written meanwhile', async () => {
    const { world, discord } = await start();
    const end = await world.serve();
    const { run } = await runOf(world, discord);
    world.runs.move(run.id, { state: 'done', result: { text: 'first' } });
    await shown(discord, 2);
    await end();
    discord.forgetSession();
    const thread = [...discord.threads.keys()][0] ?? '';
    discord.say(ME, 'go on', { channel_id: thread });
    discord.say(ME, 'another task');
    await world.serve();
    await until(() => world.runs.sent.length === 1 && world.runs.starts === 2, 'both messages');
    expect(discord.heard).toContain('identify');
  });

  test('is left when it no longer answers heartbeats', async () => {
    const { world, discord } = await start();
    discord.heartbeatMs = 120;
    discord.isAlive = false;
    await world.serve();
    await until(() => discord.heard.some((word) => word.startsWith('resume')), 'the resume');
    expect(discord.heard).toContain('heartbeat');
  });

  test('says what to do when the bot may not read messages or its token is wrong', async () => {
    const discord = await new FakeDiscord(CHANNEL).start();
    const use = { team: { kind: 'discord', to: CHANNEL, server: discord.server } };
    const world = makeWorld(use, { auth: async () => authOf({ discord: `${DISCORD_TOKEN}-wrong` }) });
    await world.serve();
    await until(async () => (await world.state()).faults['team'] !== undefined, 'the fault');
    expect((await world.state()).faults['team']?.text).toBe('Discord answered 401: 401: Unauthorized');
    expect(JSON.stringify(world.log)).not.toContain(DISCORD_TOKEN);
  });
});

describe('a thread', () => {
  test('is a run: a message begins it, the next ones go to it one at a time, in order', async () => {
    const { world, discord } = await start();
    await world.serve();
    const { message, run } = await runOf(world, discord);
    expect(discord.threads.get(message)).toBe('fix the parser');
    expect(run.request).toMatchObject({ task: 'fix the parser', worker: 'claude', worktree: false });
    expect(run.request.cwd).toMatch(/\/home\/shop$/);
    for (const text of ['one', 'two', 'three']) discord.say(ME, text, { channel_id: message });
    discord.say(OTHER, 'not from me', { channel_id: message });
    await until(async () => Object.values((await world.state()).conversations)[0]?.queue.length === 3, 'the queue');
    expect(world.runs.sent).toEqual([]);
    for (const [index, text] of ['done 1', 'done 2', 'done 3', 'done 4'].entries()) {
      world.runs.move(run.id, { state: 'done', result: { text } });
      await until(() => discord.messages.some(({ content }) => content === text), text);
      if (index < 3) await until(() => world.runs.sent.length === index + 1, 'the next one');
    }
    expect(world.runs.sent.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(discord.messages.every(({ place }) => place === message)).toBe(true);
    expect(world.runs.starts).toBe(1);
  });

  test('keeps its queue over a restart, and hands no message over twice', async () => {
    const { world, discord } = await start();
    const end = await world.serve();
    const { message, run } = await runOf(world, discord);
    discord.say(ME, 'one', { channel_id: message });
    discord.say(ME, 'two', { channel_id: message });
    await until(async () => Object.values((await world.state()).conversations)[0]?.queue.length === 2, 'the queue');
    await end();
    world.runs.move(run.id, { state: 'done', result: { text: 'first' } });
    await (
      await world.serve()
    )();
    const again = await world.serve();
    await until(() => world.runs.sent.length === 1, 'the first message');
    await again();
    await world.serve();
    world.runs.move(run.id, { state: 'done', result: { text: 'second' } });
    await until(() => world.runs.sent.length === 2, 'the second message');
    expect(world.runs.sent.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(discord.messages.filter(({ content }) => content === 'first')).toHaveLength(1);
  });

  test('that failed says so once, drops what waited, and goes on after !retry', async () => {
    const { world, discord } = await start();
    await world.serve();
    const { message, run } = await runOf(world, discord);
    discord.say(ME, 'one', { channel_id: message });
    discord.say(ME, 'two', { channel_id: message });
    await until(async () => Object.values((await world.state()).conversations)[0]?.queue.length === 2, 'the queue');
    world.runs.move(run.id, { state: 'failed', error: { fault: 'crash', message: 'it crashed' } as never });
    expect((await shown(discord, 2)).content).toContain('it crashed');
    expect(discord.last?.content).toContain('2 messages that waited are not passed on');
    expect(Object.values((await world.state()).conversations)[0]).toMatchObject({ state: 'errored', queue: [] });
    discord.say(ME, 'hello?', { channel_id: message });
    expect((await shown(discord, 3)).content).toContain('Its run has failed');
    discord.say(ME, '!retry', { channel_id: message });
    await until(() => world.runs.all.get(run.id)?.attempt === 2, 'the retry');
    world.runs.move(run.id, { state: 'done', result: { text: 'better now' } });
    await until(() => discord.messages.some(({ content }) => content === 'better now'), 'the result');
    expect(world.runs.sent).toEqual([]);
  });

  test('shows the questions of its run, and is closed and opened again', async () => {
    const { world, discord } = await start();
    await world.serve();
    const { message, run } = await runOf(world, discord);
    world.questions.ask({ id: 'q', run: run.id, options: ['Yes'] });
    const question = await shown(discord, 2);
    expect(question.place).toBe(message);
    discord.press(question, 'Yes', ME);
    await until(() => question.buttons.length === 0, 'the mark');
    world.runs.move(run.id, { state: 'done', result: { text: 'ready' } });
    await until(() => discord.messages.some(({ content }) => content === 'ready'), 'the result');
    discord.archive(message);
    const state = async () => Object.values((await world.state()).conversations)[0]?.state;
    await until(async () => (await state()) === 'archived', 'the archive');
    discord.say(ME, 'one more thing', { channel_id: message });
    await until(() => world.runs.sent.length === 1, 'the message');
    expect(await state()).toBe('active');
  });

  test('that is closed for us does not hold up what goes elsewhere, and gets its messages when it is open again', async () => {
    const { world, discord } = await start();
    await world.serve();
    const { message, run } = await runOf(world, discord);
    discord.locked.add(message);
    world.runs.move(run.id, { state: 'done', result: { text: 'the result' } });
    await until(async () => (await world.state()).faults['team'] !== undefined, 'the fault');
    world.questions.ask({ id: 'a', text: 'Meanwhile?' });
    expect((await shown(discord, 2)).content).toContain('Meanwhile?');
    discord.locked.clear();
    await until(() => discord.messages.some(({ content }) => content === 'the result'), 'the result');
  });
});
