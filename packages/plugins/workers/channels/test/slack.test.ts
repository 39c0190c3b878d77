/** Slack: Socket Mode, buttons, threads. */
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import { FakeSlack } from './fakes/slack.ts';
import { makeWorld, type World } from './world.ts';

const [ME, OTHER] = ['U0ME', 'U0OTHER'];

async function start(): Promise<{ world: World; slack: FakeSlack }> {
  const slack = await new FakeSlack('C0123456').start();
  const use = {
    work: { kind: 'slack', to: 'C0123456', users: [ME], server: `${slack.origin}/api`, threads: { cwd: '/srv/shop' } },
  };
  const world = makeWorld(use);
  await world.serve();
  await until(() => slack.connections === 1, 'the connection');
  return { world, slack };
}

test('a question comes as rich text with buttons, and is marked when it was answered', async () => {
  const { world, slack } = await start();
  slack.limited = 1;
  world.questions.ask({
    id: 'a',
    title: 'otter <!channel> asks',
    text: '<@U1> *now*\n```\nls > x\n```',
    options: ['Yes', 'No'],
  });
  await until(() => slack.messages.length === 1, 'the message');
  const message = slack.last;
  if (!message) throw new Error('no message');
  expect(message.text).toBe('otter &lt;!channel&gt; asks');
  expect(message.parts).toMatchObject([
    { type: 'rich_text_section', text: 'otter <!channel> asks' },
    { type: 'rich_text_section', text: '<@U1> *now*' },
    { type: 'rich_text_preformatted', text: 'ls > x' },
    { type: 'rich_text_section', text: expect.stringMatching(/^Reply to this message, or write "q/) },
  ]);
  slack.press(message, 'No', OTHER);
  slack.press(message, 'Yes', ME);
  await until(() => message.buttons.length === 0, 'the mark');
  expect(world.questions.answers).toEqual([{ id: 'a', answer: 'Yes', by: 'U0ME (work)' }]);
  await until(() => slack.whispers.length === 2, 'both notices');
  expect(slack.whispers[0]).toEqual({ user: OTHER, text: 'You are not listed as somebody who may answer.' });
  await until(() => slack.pending.size === 0, 'all acknowledgements');
});

test('a message begins a run, and its thread goes on with it, also after the connection was changed', async () => {
  const { world, slack } = await start();
  const first = slack.say(ME, 'look at &lt;b&gt; in <https://x.example/a|x.example>');
  await until(() => world.runs.starts === 1, 'the run');
  const [run] = [...world.runs.all.values()];
  expect(run?.request.task).toBe('look at <b> in https://x.example/a');
  world.runs.move(run?.id ?? '', { state: 'done', result: { text: 'seen' } });
  await until(() => slack.messages.length === 2, 'the result');
  expect(slack.messages.every(({ thread }) => thread === first)).toBe(true);
  slack.disconnect();
  slack.say(ME, 'go on', { thread_ts: first });
  slack.say(ME, 'edited', { thread_ts: first, subtype: 'message_changed' });
  slack.say('U0BOT', 'I am a bot', { thread_ts: first, bot_id: 'B1' });
  await until(() => world.runs.sent.length === 1 && slack.pending.size === 0, 'the message');
  expect(world.runs.sent.map(({ text }) => text)).toEqual(['go on']);
  await until(() => slack.connections === 2, 'the second connection');
});
